// Documentation of the routes that erase and export contacts.
import { page } from './examples.ts'
import type { OperationNotes } from './operation-notes.ts'

const fileBytes = { schema: { type: 'string', format: 'binary' } }

const begun = { recipients: 0, calls: 0, messages: 0, files: 0, events: 0 }
const done = { recipients: 1, calls: 2, messages: 14, files: 3, events: 31 }

const pending = {
  contact: '15557000001',
  total: null,
  counts: begun,
  createdAt: '2026-11-22T09:00:00.000Z',
  startedAt: null,
  completedAt: null,
}

const completed = {
  ...pending,
  total: 16,
  counts: done,
  startedAt: '2026-11-22T09:00:00.412Z',
  completedAt: '2026-11-22T09:00:02.120Z',
}

const erasure = { id: 'era_01m7x2s6a2fjv8k1w3d5h7m9q4', status: 'PENDING', ...pending }

const erased = { id: 'era_01m7x2s6a2fjv8k1w3d5h7m9q4', status: 'COMPLETED', ...completed, contact: null }

const contactExport = {
  ...{ id: 'exp_01m7x2s7b4e0n2p6r8t1v3x5z9', status: 'PENDING', ...pending },
  ...{ sizeBytes: null, sha256: null, error: null, expiresAt: null },
}

const exported = {
  ...{ id: 'exp_01m7x2s7b4e0n2p6r8t1v3x5z9', status: 'COMPLETED', ...completed },
  sizeBytes: 184_320,
  sha256: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
  error: null,
  expiresAt: '2026-11-29T09:00:02.120Z',
}

export const privacyNotes: Readonly<Record<string, OperationNotes>> = {
  'POST /contacts/:phone/erasures': {
    id: 'eraseContact',
    description:
      'Messages, files, calls, campaign recipients and the bodies of events are erased in the background. An opt-out stays as ' +
      'a fingerprint, so that nobody who wrote STOP is written to again. A contact who is not known is erased too, with zeros.',
    answer: 'Begun: the erasure, PENDING.',
    replay: 'An erasure of this contact is under way: that one.',
    response: erasure,
  },
  'GET /erasures': {
    id: 'listErasures',
    answer: 'A page of erasures.',
    response: page(erased),
  },
  'GET /erasures/:id': { id: 'getErasure', answer: 'The erasure.', response: erased },
  'POST /contacts/:phone/exports': {
    id: 'exportContact',
    description: 'The archive is made in the background, and can be downloaded for seven days.',
    answer: 'Begun: the export, PENDING.',
    replay: 'An export of this contact is under way: that one.',
    response: contactExport,
  },
  'GET /exports': {
    id: 'listExports',
    answer: 'A page of exports.',
    response: page(exported),
  },
  'GET /exports/:id': { id: 'getExport', answer: 'The export.', response: exported },
  'GET /exports/:id/file': {
    id: 'getExportFile',
    description:
      'A tar archive of JSON lines and of the files that the contact sent. `409 INVALID_STATE` before the export is ' +
      'COMPLETED and after it has expired.',
    answer: 'The archive.',
    responseContent: { 'application/x-tar': fileBytes },
    also: {
      206: {
        description: 'The part that `Range` asked for.',
        content: { 'application/x-tar': fileBytes },
      },
      304: { description: 'Not changed since the `ETag` of `If-None-Match`.' },
    },
  },
}
