// What a message holds beside its text, in the same form in both directions: in records, in events and in the
// column messages.details. Only what a message has is there; inside a part, what is not known is null.

/** Another message: our id where we have that message, and the provider's. */
export interface MessageReference {
  messageId: string | null
  providerMessageId: string
}

/** The choice of a customer: a tapped button, a chosen row of a list, or a form that was filled in. */
export interface ReplyDetails {
  kind: 'button' | 'list' | 'template_button' | 'flow' | 'address'
  /** As the sender of the buttons or rows named it. */
  id: string | null
  title: string | null
  /** Of a row of a list. */
  description: string | null
  /** Of a button of a template. */
  payload: string | null
  /** The answers of a form; null where they are no JSON object, and where they are too long. */
  response: Record<string, unknown> | null
  /** The same as it came; null for what is no form. */
  responseRaw: string | null
}

export const mediaKinds = ['image', 'video', 'audio', 'document', 'sticker'] as const
export type MediaKind = (typeof mediaKinds)[number]

/** The size of a file, and whether we have it, is in `media` of the record: it is known only later. */
export interface MediaDetails {
  kind: MediaKind
  mimeType: string | null
  fileName: string | null
  caption: string | null
  /** Hex. */
  sha256: string | null
  /** Recorded in the app, or sent to be played as such. */
  voice: boolean
  /** Of a sticker. */
  animated: boolean
  /** Outbound, where the file was given by its address. */
  link?: string
}

export interface LocationDetails {
  /** Degrees. Null only where the provider told none. */
  latitude: number | null
  longitude: number | null
  name: string | null
  address: string | null
  url: string | null
}

export interface ContactCard {
  name: string | null
  /** `waId`: digits, where the person has an account. */
  phones: { phone: string | null; waId: string | null; type: string | null }[]
  emails: { email: string; type: string | null }[]
  addresses: {
    street: string | null
    city: string | null
    state: string | null
    zip: string | null
    country: string | null
    type: string | null
  }[]
  urls: { url: string; type: string | null }[]
  organization: { company: string | null; department: string | null; title: string | null } | null
  birthday: string | null
  /** `contact_request`: the sender's own number, on our request. `other`: a card shared by hand. */
  origin: string | null
}

export interface OrderDetails {
  catalogId: string | null
  text: string
  /** Prices are decimal text, such as `30.00`. */
  items: {
    productId: string
    quantity: number | null
    price: string | null
    currency: string | null
  }[]
}

export interface ReactionDetails extends MessageReference {
  /** Null where the reaction was removed. */
  emoji: string | null
  removed: boolean
}

/** What a message answers, or that it was passed on. */
export interface ContextDetails {
  /** Null, as the provider's id, where nothing is quoted. */
  messageId: string | null
  providerMessageId: string | null
  forwarded: boolean
  /** More than five times. */
  frequentlyForwarded: boolean
  /** The product that the message asks about. */
  product: { catalogId: string | null; productId: string } | null
}

/** The ad or post from which the customer came. */
export interface ReferralDetails {
  sourceType: string | null
  sourceId: string | null
  sourceUrl: string | null
  headline: string | null
  body: string | null
  mediaType: string | null
  mediaUrl: string | null
  thumbnailUrl: string | null
  /** The provider's `ctwa_clid`. */
  clickId: string | null
  /** The greeting that the ad showed. */
  welcomeText: string | null
}

export interface SystemDetails {
  kind: 'number_changed' | 'id_changed' | 'other'
  /** The provider's word. */
  type: string | null
}

export interface UnsupportedDetails {
  /** What the customer sent, in the provider's word, such as `poll_creation`; null where it is not told. */
  type: string | null
  errors: { code: string; title: string; details: string | null }[]
}

/** What was offered to the customer. Outbound only; the answer is a `reply`. */
export interface InteractiveDetails {
  kind: 'buttons' | 'list' | 'link' | 'location_request' | 'flow'
  header: { kind: 'text' | 'image' | 'video' | 'document'; text: string | null; link: string | null } | null
  body: string
  footer: string | null
  /** Of kind buttons. */
  buttons?: { id: string; title: string }[]
  /** Of kind list: the text of the button that opens it, and its rows. */
  list?: {
    button: string
    sections: { title: string | null; rows: { id: string; title: string; description: string | null }[] }[]
  }
  /** Of kind link. */
  link?: { title: string; url: string }
  /** Of kind flow. */
  flow?: { id: string | null; name: string | null; title: string; screen: string | null }
}

export interface CallPermissionDetails {
  response: string
  granted: boolean
  isPermanent: boolean
  /** Null for a permanent permission, for a refusal, and where the provider did not tell. */
  expiresAt: string | null
  source: string
}

/** The texts that the message had before, the oldest first, each with the time of the edit that replaced it. */
export interface EditedDetails {
  at: string
  versions: { text: string; until: string }[]
}

export interface MessageDetails {
  /** The provider's word for a type that is UNSUPPORTED here. */
  providerType?: string
  reply?: ReplyDetails
  media?: MediaDetails
  location?: LocationDetails
  contacts?: ContactCard[]
  order?: OrderDetails
  interactive?: InteractiveDetails
  reaction?: ReactionDetails
  /** Of type EDIT: the message whose text this one replaces. */
  edit?: MessageReference
  /** Of type REVOKE: the message that the customer took back. */
  revoke?: MessageReference
  context?: ContextDetails
  referral?: ReferralDetails
  /** The provider's id of the group in which the message was written. */
  group?: { id: string }
  system?: SystemDetails
  callPermission?: CallPermissionDetails
  unsupported?: UnsupportedDetails
  /** The customer has changed this message since. */
  edited?: EditedDetails
  /** The customer has taken this message back: its content is gone. */
  revoked?: { at: string }
  /** Some of it was too long and was cut. */
  truncated?: true
}
