// Whether a contact may be called at a given time. The provider does not report the end of a permission, so
// the clock decides.
import type { CallPermissionDetails } from './events.ts'

const hasExpired = ({ isPermanent, expiresAt }: CallPermissionDetails, at: Date): boolean =>
  !isPermanent && expiresAt !== undefined && Date.parse(expiresAt) <= at.getTime()

/** The contact's answer, with `granted` only while the permission is valid. */
export const permissionAt = (said: CallPermissionDetails, at: Date): CallPermissionDetails => ({
  ...said,
  granted: said.granted && !hasExpired(said, at),
})
