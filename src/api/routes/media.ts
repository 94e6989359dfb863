import { AppError } from '../../contract/errors.ts'
import { largestUpload, uploadTypes } from '../../messaging/media-kinds.ts'
import { attachmentAnswer, endingOf } from '../../platform/http/attachment-answer.ts'
import { openFormFile } from '../../platform/http/form-file.ts'
import { inPlace } from '../../platform/http/in-place.ts'
import { encodeId } from '../../shared/ids.ts'
import { authorOf } from '../download-author.ts'
import { route } from '../route.ts'
import { idParam } from '../schemas/fields.ts'
import { uploadQuery, uploadView } from '../schemas/uploads.ts'

const form = 'multipart/form-data'
const longestName = 240
/** The form around the file. */
const formBytes = 64 * 1024

export const getMedia = route({
  method: 'GET',
  path: '/messages/chat/:id/media',
  scope: 'MEDIA_READ',
  summary: 'The file of a message, whole or a byte range of it',
  params: idParam('message'),
  errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
  handle: ({ caller, params, services, request }) =>
    inPlace(
      request,
      () => services.messages.enterDownload(caller.workspaceId),
      async () => {
        const found = await services.messages.media(caller.workspaceId, params.id, request.signal)
        await services.noteDownload(authorOf(caller, request), {
          action: 'media.downloaded',
          subjectKind: 'message',
          subjectId: params.id,
          after: { mimeType: found.mimeType, sizeBytes: found.sizeBytes },
        })
        return attachmentAnswer(request, found, encodeId('message', params.id))
      },
    ),
})

export const uploadMedia = route({
  method: 'POST',
  path: '/media',
  scope: 'CHAT_SEND',
  summary: 'Upload a file to send messages with',
  query: uploadQuery,
  response: uploadView,
  success: 201,
  errors: [
    'UNSUPPORTED_MEDIA_TYPE',
    'PAYLOAD_TOO_LARGE',
    'BODY_TOO_SLOW',
    'NO_SENDER_NUMBER',
    'PROVIDER_ERROR',
    'OVERLOADED',
  ],
  handle() {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `send the file itself, or a form (${form}) with it`)
  },
  upload: {
    types: [form, ...uploadTypes],
    limitBytes: largestUpload + formBytes,
    handle: ({ caller, services, request, query: { from = null, fileName }, upload: { type, pieces } }) =>
      services.messages.upload(caller.workspaceId, from, async () => {
        const file =
          type === form
            ? await openFormFile(request.header('content-type') ?? '', pieces)
            : { type, fileName: '', pieces }
        return {
          mimeType: file.type,
          fileName:
            fileName ?? ([...file.fileName].slice(0, longestName).join('') || `file${endingOf(file.type)}`),
          pieces: file.pieces,
        }
      }),
  },
})
