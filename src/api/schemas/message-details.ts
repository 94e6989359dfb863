// The schema of what a message holds beside its text, in records and in events.
import * as v from 'valibot'
import { type MessageDetails, mediaKinds } from '../../contract/records/message-details.ts'
import { about, shownAs } from '../../platform/http/shown.ts'
import { idView, timestamp } from './fields.ts'

const word = v.nullable(v.string())
const flag = v.boolean()

export const callPermissionView = v.object({
  response: about(v.string(), "The provider's word for the answer, such as `accept` or `reject`."),
  granted: about(v.boolean(), 'Whether the contact may be called.'),
  isPermanent: about(v.boolean(), 'False: until `expiresAt`, if that is known.'),
  expiresAt: about(
    v.nullable(timestamp),
    'Null for a permanent permission, for a refusal, and where it is not known.',
  ),
  source: about(v.string(), "The provider's word for where the answer came from."),
})

const ofMessage = {
  messageId: about(v.nullable(idView('message')), 'Null where that message is not known here.'),
  providerMessageId: v.string(),
}

const reply = v.object({
  kind: v.picklist(['button', 'list', 'template_button', 'flow', 'address']),
  id: about(word, 'As it was named when it was offered.'),
  title: word,
  description: about(word, 'Of a row of a list.'),
  payload: about(word, 'Of a button of a template.'),
  response: about(
    v.nullable(
      v.pipe(v.record(v.string(), v.unknown()), shownAs({ type: 'object', additionalProperties: true })),
    ),
    'The answers of a form; null where they are no JSON object, and where they are too long.',
  ),
  responseRaw: about(word, 'The same as it came; null for what is no form.'),
})

const media = v.object({
  kind: v.picklist(mediaKinds),
  mimeType: word,
  fileName: word,
  caption: word,
  sha256: about(word, 'Hex.'),
  voice: about(flag, 'A voice message.'),
  animated: about(flag, 'Of a sticker.'),
  link: v.exactOptional(about(v.string(), 'Outbound, where the file was given by its address.')),
})

const location = v.object({
  latitude: about(v.nullable(v.number()), 'Degrees, as the longitude.'),
  longitude: v.nullable(v.number()),
  name: word,
  address: word,
  url: word,
})

const typed = { type: word }

const contact = v.object({
  name: word,
  phones: v.array(
    v.object({ phone: word, waId: about(word, 'Digits, where the person has an account.'), ...typed }),
  ),
  emails: v.array(v.object({ email: v.string(), ...typed })),
  addresses: v.array(v.object({ street: word, city: word, state: word, zip: word, country: word, ...typed })),
  urls: v.array(v.object({ url: v.string(), ...typed })),
  organization: v.nullable(v.object({ company: word, department: word, title: word })),
  birthday: word,
  origin: about(word, "`contact_request`: the sender's own number, on request. `other`: shared by hand."),
})

const order = v.object({
  catalogId: word,
  text: v.string(),
  items: v.array(
    v.object({
      productId: v.string(),
      quantity: v.nullable(v.number()),
      price: about(word, 'Decimal text, such as `30.00`.'),
      currency: word,
    }),
  ),
})

const interactive = v.object({
  kind: v.picklist(['buttons', 'list', 'link', 'location_request', 'flow']),
  header: v.nullable(
    v.object({ kind: v.picklist(['text', 'image', 'video', 'document']), text: word, link: word }),
  ),
  body: v.string(),
  footer: word,
  buttons: v.exactOptional(v.array(v.object({ id: v.string(), title: v.string() }))),
  list: v.exactOptional(
    v.object({
      button: v.string(),
      sections: v.array(
        v.object({
          title: word,
          rows: v.array(v.object({ id: v.string(), title: v.string(), description: word })),
        }),
      ),
    }),
  ),
  link: v.exactOptional(v.object({ title: v.string(), url: v.string() })),
  flow: v.exactOptional(v.object({ id: word, name: word, title: v.string(), screen: word })),
})

const context = v.object({
  messageId: about(v.nullable(idView('message')), 'The message that is quoted, if it is known here.'),
  providerMessageId: about(word, 'Null where nothing is quoted.'),
  forwarded: flag,
  frequentlyForwarded: about(flag, 'More than five times.'),
  product: about(
    v.nullable(v.object({ catalogId: word, productId: v.string() })),
    'The product that the message asks about.',
  ),
})

const referral = v.object({
  sourceType: about(word, '`ad` or `post`.'),
  sourceId: word,
  sourceUrl: word,
  headline: word,
  body: word,
  mediaType: word,
  mediaUrl: word,
  thumbnailUrl: word,
  clickId: about(word, "The provider's `ctwa_clid`."),
  welcomeText: word,
})

const unsupported = v.object({
  type: about(word, "The provider's word for what was sent, such as `poll_creation`."),
  errors: v.array(v.object({ code: v.string(), title: v.string(), details: word })),
})

const edited = v.object({
  at: timestamp,
  versions: about(
    v.array(v.object({ text: v.string(), until: timestamp })),
    'The texts before, the oldest first.',
  ),
})

const optional = <Part extends v.GenericSchema>(part: Part, text: string) =>
  v.exactOptional(about(part, text))

export const detailsView = v.pipe(
  v.object({
    providerType: optional(v.string(), "The provider's word for a type that is UNSUPPORTED here."),
    reply: optional(reply, 'The choice of the customer, or a form that was filled in.'),
    media: optional(media, 'The file.'),
    location: optional(location, 'The place.'),
    contacts: optional(v.array(contact), 'Contact cards.'),
    order: optional(order, 'Products that the customer wants.'),
    interactive: optional(interactive, 'What was offered to the customer.'),
    reaction: optional(
      v.object({ ...ofMessage, emoji: about(word, 'Null where it was removed.'), removed: flag }),
      'To which message, and with what.',
    ),
    edit: optional(v.object(ofMessage), 'The message whose text this one replaces.'),
    revoke: optional(v.object(ofMessage), 'The message that the customer took back.'),
    context: optional(context, 'What the message quotes, or that it was passed on.'),
    referral: optional(referral, 'The ad or post from which the customer came.'),
    group: optional(v.object({ id: v.string() }), 'The group in which it was written.'),
    system: optional(
      v.object({ kind: v.picklist(['number_changed', 'id_changed', 'other']), type: word }),
      'What the provider tells about the customer.',
    ),
    callPermission: optional(callPermissionView, 'The answer to a call permission request.'),
    unsupported: optional(unsupported, 'Why it, or a part of it, is not shown.'),
    edited: optional(edited, 'The customer has changed this message since.'),
    revoked: optional(v.object({ at: timestamp }), 'The customer has taken it back: its content is gone.'),
    truncated: optional(v.literal(true), 'Some of it was too long and was cut.'),
  }),
  v.title('MessageDetails'),
  v.description('What a message holds beside its text. Only what it has is there.'),
) satisfies v.GenericSchema<unknown, MessageDetails>
