// Documentation of the routes that send messages and files.
import * as example from './examples.ts'
import * as freeForm from './free-form-examples.ts'
import type { OperationNotes } from './operation-notes.ts'

export const sendingNotes: Readonly<Record<string, OperationNotes>> = {
  'POST /messages/chat': {
    id: 'sendMessage',
    description:
      'The message is stored before the answer and sent at once after it. What becomes of it comes as `message.status` events. ' +
      'In place of `template`, exactly one of `text`, `media`, `location`, `contacts`, `interactive` and `reaction` answers a ' +
      'customer within 24 hours of their last message or call; later it is `409 WINDOW_CLOSED`. ' +
      'A contact who wrote STOP gets nothing until START: `422 RECIPIENT_OPTED_OUT`.',
    answer: 'Accepted: the message, QUEUED.',
    replay: 'This `idempotencyKey` was used with this body before: the first message as it stands now.',
    request: example.send,
    requests: freeForm.sends,
    response: example.message,
  },
  'POST /media': {
    id: 'uploadMedia',
    description:
      'The file itself with its `Content-Type`, or a form with it. The id that comes back is what `media.id` of a message ' +
      'takes, and the header of an interactive one; it holds for sends from one number. Largest: images 5 MiB, videos and ' +
      'audio 16 MiB, stickers 500 KiB, documents 100 MiB.',
    answer: 'Stored, and taken by the provider.',
    requestContent: {
      'multipart/form-data': {
        schema: {
          type: 'object',
          properties: { file: { type: 'string', format: 'binary' } },
          required: ['file'],
        },
      },
      '*/*': { schema: { type: 'string', format: 'binary' } },
    },
    response: freeForm.upload,
  },
}
