// One of the people of mixed-people.ts, and what the provider posts of them.

// biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes.
export type Json = any

/**
 * - `phone`, `id`: only ever named so
 * - `both`: named by either, and by both at least once
 * - `newId`: hides the number, and gets another id
 * - `newNumber`: gets another number, and with it another id
 * - `formerOwner`, `nextOwner`: one number, which went from the first to the second without a word of the provider
 */
export type Kind = 'phone' | 'id' | 'both' | 'newId' | 'newNumber' | 'formerOwner' | 'nextOwner'

export interface Naming {
  readonly phone?: string
  readonly userId?: string
}

export interface MixedPerson {
  readonly kind: Kind
  readonly name: string
  /** All that the provider ever named the person by. */
  readonly addresses: readonly string[]
  /** As the person is known in the end. */
  readonly address: string
  readonly userId: string | null
  /** Provider's ids of what the person sent, and of calls. */
  readonly messages: string[]
  readonly calls: string[]
  saysStop: boolean
  stopsMarketing: boolean
}

export interface Webhook {
  readonly field: string
  readonly value: Json
  readonly gateway: 0 | 1
  /** The other gateway gets it too. */
  readonly isRepeated: boolean
}

export interface Item {
  readonly field: 'messages' | 'calls' | 'user_preferences'
  readonly list: 'messages' | 'statuses' | 'calls' | 'user_preferences'
  readonly number: number
  readonly contact: Json | null
  readonly element: Json
}

const kinds: readonly Kind[] = [
  ...(['both', 'id', 'newNumber', 'phone', 'both', 'newId', 'newNumber', 'id'] as const),
  ...(['both', 'newId', 'formerOwner', 'nextOwner'] as const),
]

export function personOf(index: number): MixedPerson & { readonly before: Naming; readonly after: Naming } {
  const kind = kinds[index % kinds.length] ?? 'both'
  const digits = String(kind === 'nextOwner' ? index - 1 : index).padStart(5, '0')
  const [phone, phone2] = [`3519110${digits}`, `3519220${digits}`]
  const [userId, userId2] = [`PT.44${index}a`, `PT.99${index}b`]
  const of: Record<Kind, readonly [Naming, Naming]> = {
    phone: [{ phone }, { phone }],
    id: [{ userId }, { userId }],
    both: [
      { phone, userId },
      { phone, userId },
    ],
    newId: [{ userId }, { userId: userId2 }],
    newNumber: [
      { phone, userId },
      { phone: phone2, userId: userId2 },
    ],
    formerOwner: [
      { phone, userId },
      { phone, userId },
    ],
    nextOwner: [
      { phone, userId },
      { phone, userId },
    ],
  }
  const [before, after] = of[kind]
  const all = [before.phone, before.userId, after.phone, after.userId]
  const own = kind === 'formerOwner' ? [userId] : all
  return {
    ...{ kind, name: `Person ${index}`, before, after, messages: [], calls: [], saysStop: false },
    ...{ stopsMarketing: false, userId: after.userId ?? null },
    address: (kind === 'formerOwner' ? undefined : after.phone) ?? after.userId ?? '',
    addresses: [...new Set(own.filter((address) => address !== undefined))],
  }
}
