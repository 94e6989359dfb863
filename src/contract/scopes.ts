// Scopes of API keys, and which other scopes each one includes.

export const scopes = [
  'CHAT_SEND',
  'MESSAGES_READ',
  'MEDIA_READ',
  'CONVERSATIONS_READ',
  'CONVERSATIONS_WRITE',
  'CALLS_READ',
  'CALLS_WRITE',
  'CAMPAIGNS_READ',
  'CAMPAIGNS_WRITE',
  'CATALOG_READ',
  'CONTACTS_EXPORT',
  'CONTACTS_ERASE',
] as const

export type Scope = (typeof scopes)[number]

const includes: Partial<Record<Scope, readonly Scope[]>> = {
  CHAT_SEND: ['CATALOG_READ'],
  CALLS_WRITE: ['CALLS_READ'],
  CAMPAIGNS_WRITE: ['CAMPAIGNS_READ', 'CATALOG_READ'],
}

export const grants = (held: readonly Scope[], needed: Scope): boolean =>
  held.some((scope) => scope === needed || includes[scope]?.includes(needed))
