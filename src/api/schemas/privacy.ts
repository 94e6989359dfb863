// Schemas of erasures and exports.
import * as v from 'valibot'
import {
  type ErasureRecord,
  type ExportRecord,
  erasureStatuses,
  exportStatuses,
} from '../../contract/records/privacy.ts'
import { about, shownAs } from '../../platform/http/shown.ts'
import { contact, contactPattern, idView, timestamp } from './fields.ts'

/** In a path the plus of a number may be escaped. */
export const phoneParam = v.strictObject({
  phone: about(
    v.pipe(
      v.string(),
      shownAs({ type: 'string', pattern: `^${contactPattern}$`, examples: ['15557000001'] }),
      v.transform((text) => text.replace(/^%2B/i, '+')),
      contact,
    ),
    'The number of the contact in international format, with or without its plus, or the user id.',
  ),
})

const integer = v.pipe(v.number(), v.integer())

const counts = v.object({
  recipients: about(integer, 'Of campaigns.'),
  calls: integer,
  messages: integer,
  files: integer,
  events: about(integer, 'What endpoints were sent.'),
})

const job = {
  total: about(v.nullable(integer), 'Messages and calls at the start; null before it.'),
  counts: about(counts, 'How many of each are done.'),
  createdAt: timestamp,
  startedAt: v.nullable(timestamp),
  completedAt: v.nullable(timestamp),
}

export const erasureView = v.pipe(
  v.object({
    id: idView('erasure'),
    status: v.picklist(erasureStatuses),
    contact: about(
      v.nullable(v.string()),
      'The number as digits, or the user id, as it was named; null once it is erased.',
    ),
    ...job,
  }),
  v.title('Erasure'),
  v.description('The erasure of a contact. It cannot be taken back.'),
) satisfies v.GenericSchema<unknown, ErasureRecord>

export const exportView = v.pipe(
  v.object({
    id: idView('export'),
    status: v.picklist(exportStatuses),
    contact: about(
      v.nullable(v.string()),
      'The number as digits, or the user id, as it was named; null once the export has expired.',
    ),
    ...job,
    sizeBytes: about(v.nullable(integer), 'Of the file, once there is one.'),
    sha256: about(v.nullable(v.string()), 'Of the file, in hex.'),
    error: v.nullable(v.object({ code: v.string(), title: v.string() })),
    expiresAt: about(v.nullable(timestamp), 'Until when the file can be downloaded.'),
  }),
  v.title('Export'),
  v.description('The export of everything that is known of a contact.'),
) satisfies v.GenericSchema<unknown, ExportRecord>
