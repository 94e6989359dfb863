// What each scope allows, in words. The code, which the API names, stands in the hint.
import type { Scope } from '../../../../contract/scopes.ts'
import type { Choice } from '../../parts/field.tsx'

const words: Readonly<Record<Scope, readonly [title: string, hint?: string]>> = {
  CHAT_SEND: ['Send messages', 'also templates and numbers'],
  MESSAGES_READ: ['Read messages'],
  MEDIA_READ: ['Download files'],
  CONVERSATIONS_READ: ['Read conversations'],
  CONVERSATIONS_WRITE: ['Mark conversations', 'as read; show typing'],
  CONTACTS_EXPORT: ['Export contacts', 'everything known of one, with messages, calls and files'],
  CONTACTS_ERASE: ['Erase contacts', 'with everything known of them; this cannot be undone'],
  CALLS_READ: ['Read calls', 'and fetch offers'],
  CALLS_WRITE: ['Make calls', 'place, answer and end them; includes reading'],
  CAMPAIGNS_READ: ['Read campaigns', 'and their recipients'],
  CAMPAIGNS_WRITE: ['Run campaigns', 'includes reading, templates and numbers'],
  CATALOG_READ: ['List templates', 'and numbers'],
}

export const scopeTitle = (scope: string): string => words[scope as Scope]?.[0] ?? scope

export const scopeChoices: readonly Choice<Scope>[] = (Object.keys(words) as Scope[]).map((scope) => {
  const [label, hint] = words[scope]
  return { value: scope, label, hint: hint === undefined ? scope : `${scope}: ${hint}` }
})
