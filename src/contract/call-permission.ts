// Whether a contact may be called, at some instant: the provider does not tell when a permission ends, the clock does.
import type { CallPermissionDetails } from './events.ts'

const hasExpired = ({ isPermanent, expiresAt }: CallPermissionDetails, at: Date): boolean =>
  !isPermanent && expiresAt !== undefined && Date.parse(expiresAt) <= at.getTime()

/** What the contact said, `granted` only while it holds. */
export const permissionAt = (said: CallPermissionDetails, at: Date): CallPermissionDetails => ({
  ...said,
  granted: said.granted && !hasExpired(said, at),
})
