// Whether a contact may be called at a given time. The provider does not report the end of a permission, so
// the clock decides.
import type { CallPermissionDetails } from './events.ts'

/** As stored: releases before 0.2.0 left `expiresAt` out where it is null. */
export type StoredPermission = Omit<CallPermissionDetails, 'expiresAt'> &
  Partial<Pick<CallPermissionDetails, 'expiresAt'>>

export const storedPermission = ({
  source,
  expiresAt = null,
  ...said
}: StoredPermission): CallPermissionDetails => ({ ...said, expiresAt, source })

const hasExpired = ({ isPermanent, expiresAt }: StoredPermission, at: Date): boolean =>
  !isPermanent && typeof expiresAt === 'string' && Date.parse(expiresAt) <= at.getTime()

/** The contact's answer, with `granted` only while the permission is valid. */
export const permissionAt = (said: StoredPermission, at: Date): CallPermissionDetails => ({
  ...storedPermission(said),
  granted: said.granted && !hasExpired(said, at),
})
