// Schemas of uploaded files.
import * as v from 'valibot'
import type { UploadRecord } from '../../contract/records/upload.ts'
import { maxCharacters } from '../../platform/http/fields.ts'
import { about } from '../../platform/http/shown.ts'
import { idView, timestamp } from './fields.ts'
import { sender } from './messages.ts'

export const uploadQuery = v.strictObject({
  from: about(
    v.optional(
      v.pipe(
        v.string(),
        // An unescaped plus in a query arrives as a space.
        v.transform((text) => text.replace(/^ /, '+')),
        sender,
      ),
    ),
    "The number that messages with this file are sent from, by its id or in international format. Left out: the workspace's default.",
  ),
  fileName: about(
    v.optional(
      v.pipe(
        v.string(),
        v.minLength(1, 'must not be empty'),
        maxCharacters(240, 'must be at most 240 characters long'),
      ),
    ),
    'In place of the name in the form. Default: `file` with an ending by its type, such as `file.pdf`.',
  ),
})

export const uploadView = v.pipe(
  v.object({
    id: idView('upload'),
    mimeType: v.string(),
    fileName: v.string(),
    sizeBytes: v.pipe(v.number(), v.integer()),
    sha256: about(v.string(), 'Hex digest of the bytes.'),
    expiresAt: about(timestamp, 'Messages can be sent with the file until then.'),
  }),
  v.title('Upload'),
  v.description('A file for messages to come.'),
) satisfies v.GenericSchema<unknown, UploadRecord>
