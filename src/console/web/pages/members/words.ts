// Texts about what each role may do. Each role includes those before it.
import type { Role } from '../../core/session.ts'

const may: Readonly<Record<Role, string>> = {
  VIEWER: 'Reads everything, secrets excepted.',
  AGENT: 'Also writes to customers, marks their messages as read, and declines or ends calls.',
  ADMIN: 'Also runs keys, endpoints, numbers, templates and campaigns.',
  OWNER: 'Also decides who is a member, and names the workspace.',
}

const titles: Readonly<Record<Role, string>> = {
  VIEWER: 'Viewer',
  AGENT: 'Agent',
  ADMIN: 'Admin',
  OWNER: 'Owner',
}

export const roles = Object.keys(may) as Role[]

export const titleOf = (role: Role): string => titles[role]
export const mayOf = (role: Role): string => may[role]

export const withArticle = (title: string): string =>
  `${/^[AEIOU]/.test(title) ? 'an' : 'a'} ${title.toLowerCase()}`
