// Refuses new passwords that are guessed first. Their length is a matter of the schema.
import { isCommonPassword } from '../accounts/common-password.ts'
import { AppError } from '../contract/errors.ts'

const tooCommon =
  'Choose another: this is one of the passwords that are guessed first, or one of them with something added'

/** `path` is the field of the body. Throws VALIDATION_ERROR. */
export async function refuseCommonPassword(password: string, path: string): Promise<void> {
  if (!(await isCommonPassword(password))) return
  throw new AppError('VALIDATION_ERROR', tooCommon, { details: [{ path, message: tooCommon }] })
}
