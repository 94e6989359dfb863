// Messages: what a request may say and what a record looks like (decisions 2).
import * as v from 'valibot'
import { limits } from '../../contract/limits.ts'
import {
  directions,
  type MessagePreview,
  type MessageRecord,
  messageStatuses,
  messageTypes,
} from '../../contract/records/message.ts'
import { pageQuery } from '../../http/paging.ts'
import { decodeId } from '../../shared/ids.ts'
import { isE164 } from '../../shared/phone.ts'
import { contact, id, period, phoneNumber, stringMap, timestamp } from './fields.ts'

const language = v.pipe(
  v.string(),
  // Beside `<ll>_<CC>` the provider has languages without a country, such as `en` and `fil`.
  v.regex(/^[a-z]{2,3}(_[A-Z]{2})?$/, 'must be a locale of the form <ll>_<CC>, such as en_US'),
)

const variables = stringMap({ pairs: 100, nameLength: 128, valueLength: 4_096 })

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

/** Body of POST /messages/chat/preview. */
export const previewBody = v.strictObject({
  to: phoneNumber,
  template: v.strictObject({
    name: v.pipe(
      v.string(),
      v.minLength(1, 'must not be empty'),
      v.maxLength(512, 'must be at most 512 characters long'),
    ),
    language,
    variables: v.optional(variables, {}),
  }),
  from: v.optional(sender),
  metadata: v.optional(metadata, {}),
})

/** Body of POST /messages/chat. */
export const sendBody = v.strictObject({
  ...previewBody.entries,
  idempotencyKey: v.optional(
    v.pipe(v.string(), v.minLength(1, keyMessage), v.maxLength(limits.idempotencyKeyLength, keyMessage)),
  ),
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

export const previewView = v.object({
  to: v.string(),
  template: v.object({ name: v.string(), language: v.string(), variables: v.record(v.string(), v.string()) }),
  header: v.nullable(v.string()),
  body: v.string(),
  footer: v.nullable(v.string()),
  buttons: v.pipe(
    v.array(
      v.object({
        type: v.string(),
        text: v.string(),
        url: v.exactOptional(v.string()),
        phoneNumber: v.exactOptional(v.string()),
      }),
    ),
    v.readonly(),
  ),
  text: v.string(),
  missingVariables: v.pipe(v.array(v.string()), v.readonly()),
  unexpectedVariables: v.pipe(v.array(v.string()), v.readonly()),
}) satisfies v.GenericSchema<unknown, MessagePreview>
