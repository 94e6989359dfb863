// Messages: what a request may say and what a record looks like (decisions 2).
import * as v from 'valibot'
import { limits } from '../../contract/limits.ts'
import {
  directions,
  type MessageRecord,
  messageStatuses,
  messageTypes,
} from '../../contract/records/message.ts'
import { pageQuery } from '../../http/paging.ts'
import { decodeId } from '../../shared/ids.ts'
import { isE164 } from '../../shared/phone.ts'
import { contact, id, period, phoneNumber, stringMap, timestamp } from './fields.ts'

export const templateName = v.pipe(
  v.string(),
  v.minLength(1, 'must not be empty'),
  v.maxLength(512, 'must be at most 512 characters long'),
)

export const language = v.pipe(
  v.string(),
  // Beside `<ll>_<CC>` the provider has languages without a country, such as `en` and `fil`.
  v.regex(/^[a-z]{2,3}(_[A-Z]{2})?$/, 'must be a locale of the form <ll>_<CC>, such as en_US'),
)

export const variables = stringMap({
  pairs: limits.variablePairs,
  nameLength: limits.variableNameLength,
  valueLength: limits.variableValueLength,
})

const metadata = stringMap({
  pairs: limits.metadataPairs,
  nameLength: limits.metadataKeyLength,
  valueLength: limits.metadataValueLength,
})

const sender = v.pipe(
  v.string(),
  v.check(
    (text) => isE164(text) || decodeId('number', text) !== undefined,
    "must be a number's id, or the number in international format",
  ),
  v.transform((text) => {
    const numberId = decodeId('number', text)
    return numberId === undefined ? { number: text } : { numberId }
  }),
)

const keyMessage = `must be 1 to ${limits.idempotencyKeyLength} characters long`

/** Body of POST /messages/chat. */
export const sendBody = v.strictObject({
  to: phoneNumber,
  template: v.strictObject({
    name: templateName,
    language,
    variables: v.optional(variables, {}),
  }),
  idempotencyKey: v.optional(
    v.pipe(v.string(), v.minLength(1, keyMessage), v.maxLength(limits.idempotencyKeyLength, keyMessage)),
  ),
  from: v.optional(sender),
  metadata: v.optional(metadata, {}),
})

export const messageQuery = v.strictObject({
  direction: v.optional(v.picklist(directions)),
  status: v.optional(v.picklist(messageStatuses)),
  type: v.optional(v.picklist(messageTypes)),
  conversationId: v.optional(id('conversation')),
  contact: v.optional(contact),
  numberId: v.optional(id('number')),
  campaignId: v.optional(id('campaign')),
  ...period,
  ...pageQuery,
})

const callPermission = v.object({
  response: v.string(),
  granted: v.boolean(),
  isPermanent: v.boolean(),
  expiresAt: v.exactOptional(timestamp),
  source: v.string(),
})

export const messageView = v.object({
  id: v.string(),
  conversationId: v.string(),
  providerMessageId: v.nullable(v.string()),
  direction: v.picklist(directions),
  type: v.picklist(messageTypes),
  status: v.picklist(messageStatuses),
  text: v.string(),
  template: v.nullable(
    v.object({ name: v.string(), language: v.string(), variables: v.record(v.string(), v.string()) }),
  ),
  from: v.string(),
  fromName: v.nullable(v.string()),
  to: v.string(),
  numberId: v.string(),
  error: v.nullable(v.object({ code: v.string(), title: v.string() })),
  media: v.nullable(
    v.object({
      mimeType: v.string(),
      fileName: v.nullable(v.string()),
      sizeBytes: v.nullable(v.number()),
      sha256: v.nullable(v.string()),
    }),
  ),
  details: v.nullable(v.object({ callPermission: v.exactOptional(callPermission) })),
  metadata: v.record(v.string(), v.string()),
  caller: v.nullable(
    v.object({
      apiKeyId: v.nullable(v.string()),
      apiKeyName: v.nullable(v.string()),
      idempotencyKey: v.nullable(v.string()),
      campaignId: v.nullable(v.string()),
    }),
  ),
  createdAt: timestamp,
  sentAt: v.nullable(timestamp),
  deliveredAt: v.nullable(timestamp),
  readAt: v.nullable(timestamp),
  failedAt: v.nullable(timestamp),
}) satisfies v.GenericSchema<unknown, MessageRecord>
