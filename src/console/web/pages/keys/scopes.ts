// Texts of the form about what each scope allows.
import type { Scope } from '../../../../contract/scopes.ts'
import type { Choice } from '../../parts/field.tsx'

const hints: Readonly<Record<Scope, string>> = {
  CHAT_SEND: 'Send messages. Includes CATALOG_READ.',
  MESSAGES_READ: 'List and read messages.',
  MEDIA_READ: 'Download attachments.',
  CONVERSATIONS_READ: 'List and read conversations.',
  CONVERSATIONS_WRITE: 'Mark as read, show typing.',
  CONTACTS_EXPORT: 'Export everything that is known of a contact, with messages, calls and files.',
  CONTACTS_ERASE: 'Erase contacts with everything that is known of them. This cannot be undone.',
  CALLS_READ: 'List calls, fetch offers.',
  CALLS_WRITE: 'Place, answer and end calls. Includes CALLS_READ.',
  CAMPAIGNS_READ: 'Read campaigns and their recipients.',
  CAMPAIGNS_WRITE: 'Create and run campaigns. Includes CAMPAIGNS_READ and CATALOG_READ.',
  CATALOG_READ: 'List templates and numbers.',
}

export const scopeChoices: readonly Choice<Scope>[] = (Object.keys(hints) as Scope[]).map((scope) => ({
  value: scope,
  label: scope,
  hint: hints[scope],
}))
