// Schemas of messages: request bodies, filters and records.
import * as v from 'valibot'
import { limits } from '../../contract/limits.ts'
import {
  directions,
  type MessagePreview,
  type MessageRecord,
  messageStatuses,
  messageTypes,
} from '../../contract/records/message.ts'
import { maxCharacters, recipient, stringMap } from '../../platform/http/fields.ts'
import { pageQuery } from '../../platform/http/paging.ts'
import { about, shownAs } from '../../platform/http/shown.ts'
import { decodeId } from '../../shared/ids.ts'
import { isE164 } from '../../shared/phone.ts'
import {
  changed,
  choiceOf,
  contacts,
  failureView,
  idsOf,
  idView,
  period,
  timestamp,
  whoView,
} from './fields.ts'
import { contentOf, freeEntries, oneContent } from './free-form.ts'
import { detailsView } from './message-details.ts'

export const templateName = v.pipe(
  v.string(),
  v.minLength(1, 'must not be empty'),
  maxCharacters(512, 'must be at most 512 characters long'),
)

export const language = v.pipe(
  v.string(),
  // The provider also has languages without a country, such as `en` and `fil`.
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

export const sender = v.pipe(
  v.string(),
  shownAs({ type: 'string', examples: ['+15550001111', 'num_01m7x2p7bye5prh2tdnbm5yxza'] }),
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

const idempotencyKey = v.pipe(
  v.string(),
  v.minLength(1, keyMessage),
  maxCharacters(limits.idempotencyKeyLength, keyMessage),
)

const providerMessageId = v.pipe(
  v.string(),
  v.minLength(1, 'must not be empty'),
  maxCharacters(512, 'must be at most 512 characters long'),
)

const templateContent = v.strictObject({
  name: templateName,
  language,
  variables: about(v.optional(variables, {}), 'Values by the names that the template has.'),
})

const sendEntries = {
  to: about(recipient, "The customer's number in international format, with its plus, or the user id."),
  template: about(
    v.optional(templateContent),
    'An approved template. In its place, exactly one of `text`, `media`, `location`, `contacts`, `interactive` and ' +
      "`reaction`, within 24 hours of the customer's last message or call.",
  ),
  ...freeEntries,
  from: about(
    v.optional(sender),
    "The number to send from, by its id or in international format. Left out: the workspace's default.",
  ),
  metadata: about(v.optional(metadata, {}), 'Comes back on the message.'),
}

/** Body of POST /messages/chat/preview. */
export const previewBody = v.pipe(
  v.strictObject(sendEntries),
  oneContent(),
  v.transform(({ to, from = null, ...content }) => ({ to, from, ...contentOf(content) })),
)

/** Body of POST /messages/chat. */
export const sendBody = v.pipe(
  v.strictObject({
    ...sendEntries,
    idempotencyKey: v.optional(
      about(
        idempotencyKey,
        'Names this send: repeated with the same body, it gives the first message and sends nothing again.',
      ),
    ),
  }),
  oneContent(),
  v.transform(({ to, from = null, metadata: pairs, idempotencyKey: key = null, ...content }) => ({
    ...{ to, from, metadata: pairs, idempotencyKey: key },
    ...contentOf(content),
  })),
)

export const messageQuery = v.strictObject({
  direction: v.optional(v.picklist(directions)),
  status: v.optional(choiceOf(messageStatuses)),
  type: v.optional(choiceOf(messageTypes)),
  conversationId: v.optional(idsOf('conversation')),
  contact: v.optional(contacts),
  numberId: v.optional(idsOf('number')),
  campaignId: v.optional(idsOf('campaign')),
  idempotencyKey: v.optional(about(idempotencyKey, 'The message that was sent with this key, if any.')),
  providerMessageId: v.optional(
    about(providerMessageId, "The message with this id of the provider's, sent or received, if any."),
  ),
  metadata: v.optional(
    about(metadata, 'Messages whose metadata has all of these pairs, such as `metadata[order]=A-4471`.'),
  ),
  ...period,
  ...changed,
  ...pageQuery,
})

const attachment = v.object({
  mimeType: v.string(),
  fileName: v.nullable(v.string()),
  sizeBytes: v.nullable(v.pipe(v.number(), v.integer())),
  sha256: about(v.nullable(v.string()), 'Hex digest of the bytes.'),
})

const sentBy = v.object({
  apiKeyId: v.nullable(idView('key')),
  apiKeyName: v.nullable(v.string()),
  idempotencyKey: v.nullable(v.string()),
  campaignId: v.nullable(idView('campaign')),
})

const at = (text: string) => about(v.nullable(timestamp), text)

export const messageView = v.pipe(
  v.object({
    id: idView('message'),
    conversationId: idView('conversation'),
    providerMessageId: about(v.nullable(v.string()), 'Null until the provider has taken the message.'),
    direction: v.picklist(directions),
    type: v.picklist(messageTypes),
    status: about(
      v.picklist(messageStatuses),
      'Outbound: QUEUED, SENT, DELIVERED, READ or FAILED, never backwards. Inbound: RECEIVED, then READ once marked.',
    ),
    text: about(v.string(), 'As the customer reads or wrote it; empty where there is none.'),
    template: about(
      v.nullable(
        v.object({ name: v.string(), language: v.string(), variables: v.record(v.string(), v.string()) }),
      ),
      'What was sent; null on inbound messages.',
    ),
    from: about(v.string(), "The sender: the customer's number as digits, the workspace's with its plus."),
    fromName: about(v.nullable(v.string()), "The customer's profile name."),
    to: about(v.string(), "The receiver: the customer's number as digits, the workspace's with its plus."),
    ...whoView,
    numberId: about(idView('number'), 'The number of the workspace.'),
    error: about(v.nullable(failureView), 'Why it is FAILED.'),
    media: about(v.nullable(attachment), 'The attachment.'),
    details: about(v.nullable(detailsView), 'Null where there is nothing beside the text.'),
    metadata: about(v.record(v.string(), v.string()), 'As given when it was sent.'),
    caller: about(v.nullable(sentBy), 'Who sent it; null on inbound messages.'),
    createdAt: timestamp,
    sentAt: at('Null until then, as are the three after it.'),
    deliveredAt: at('When it reached the phone.'),
    readAt: at('When it was read.'),
    failedAt: at('When it failed.'),
  }),
  v.title('Message'),
  v.description('A chat message, sent or received.'),
) satisfies v.GenericSchema<unknown, MessageRecord>

const previewPart = v.object({
  headerFormat: about(
    v.nullable(v.string()),
    'TEXT, IMAGE, VIDEO, GIF, DOCUMENT, LOCATION or PRODUCT; null without a header.',
  ),
  header: about(
    v.nullable(v.string()),
    'The text, the link or id of the media, the name and address of the place, or the product.',
  ),
  body: v.string(),
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
})

export const previewView = v.pipe(
  v.object({
    to: about(v.string(), 'As digits; empty where it was a user id.'),
    userId: v.nullable(v.string()),
    type: v.picklist(messageTypes),
    template: about(
      v.nullable(
        v.object({ name: v.string(), language: v.string(), variables: v.record(v.string(), v.string()) }),
      ),
      'Null for a free-form message.',
    ),
    ...previewPart.entries,
    footer: v.nullable(v.string()),
    offer: about(
      v.nullable(v.object({ text: v.string(), expiresAt: v.nullable(v.string()) })),
      'A limited-time offer.',
    ),
    cards: about(v.pipe(v.array(previewPart), v.readonly()), 'Those of a carousel.'),
    text: v.string(),
    missingVariables: v.pipe(v.array(v.string()), v.readonly()),
    unexpectedVariables: v.pipe(v.array(v.string()), v.readonly()),
    invalidVariables: about(
      v.pipe(v.array(v.object({ name: v.string(), message: v.string() })), v.readonly()),
      'Values that the template cannot take.',
    ),
    unsupportedParts: about(
      v.pipe(v.array(v.string()), v.readonly()),
      'Parts of the template that no variables fill: it cannot be sent.',
    ),
    windowExpiresAt: about(
      v.nullable(timestamp),
      'Until when free-form messages can be sent to this contact; null where the customer has never written or called.',
    ),
  }),
  v.title('MessagePreview'),
  v.description('What the customer would see; nothing was stored or sent.'),
) satisfies v.GenericSchema<unknown, MessagePreview>
