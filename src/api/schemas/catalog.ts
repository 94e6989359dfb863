// Templates and numbers: filters and records (decisions 2).
import * as v from 'valibot'
import {
  type NumberRecord,
  type TemplateRecord,
  templateCategories,
  templateStatuses,
} from '../../contract/records/catalog.ts'
import { pageQuery } from '../../http/paging.ts'
import { timestamp } from './fields.ts'

const exact = v.pipe(
  v.string(),
  v.minLength(1, 'must not be empty'),
  v.maxLength(512, 'must be at most 512 characters long'),
)

export const templateQuery = v.strictObject({
  name: v.optional(exact),
  language: v.optional(exact),
  status: v.optional(v.picklist(templateStatuses)),
  category: v.optional(v.picklist(templateCategories)),
  ...pageQuery,
})

export const numberQuery = v.strictObject(pageQuery)

export const templateView = v.object({
  id: v.string(),
  name: v.string(),
  language: v.string(),
  category: v.picklist(templateCategories),
  status: v.picklist(templateStatuses),
  components: v.pipe(v.array(v.unknown()), v.readonly()),
  variables: v.array(
    v.object({
      name: v.string(),
      example: v.nullable(v.string()),
      in: v.picklist(['HEADER', 'BODY', 'BUTTON']),
    }),
  ),
  createdAt: timestamp,
  updatedAt: timestamp,
}) satisfies v.GenericSchema<unknown, TemplateRecord>

export const numberView = v.object({
  id: v.string(),
  phoneNumberId: v.string(),
  number: v.string(),
  displayName: v.string(),
  status: v.string(),
  qualityRating: v.string(),
  messagesPerSecond: v.number(),
  isDefault: v.boolean(),
  replyRouting: v.nullable(v.object({ endpointId: v.string(), endpointName: v.string() })),
  forwardCalls: v.boolean(),
  createdAt: timestamp,
}) satisfies v.GenericSchema<unknown, NumberRecord>
