// What an operator may do in a workspace. Each role includes the roles before it.

export const roles = ['VIEWER', 'AGENT', 'ADMIN', 'OWNER'] as const

/**
 * VIEWER reads; AGENT also acts on conversations; ADMIN also manages keys, endpoints, numbers and templates;
 * OWNER also manages members.
 */
export type Role = (typeof roles)[number]

export const isRole = (text: string): text is Role => (roles as readonly string[]).includes(text)

export const includesRole = (held: Role, needed: Role): boolean =>
  roles.indexOf(held) >= roles.indexOf(needed)
