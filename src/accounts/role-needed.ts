import { AppError } from '../contract/errors.ts'
import type { Role } from './roles.ts'

/** The refusal of a member whose role is too low, also where it was taken while the request was under way. */
export const roleNeeded = (needed: Role, held: Role | undefined): AppError =>
  new AppError(
    'FORBIDDEN',
    held === undefined
      ? `This needs the role ${needed}; you are no longer a member.`
      : `This needs the role ${needed}; yours is ${held}.`,
  )
