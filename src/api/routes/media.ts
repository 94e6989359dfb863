import { attachmentAnswer } from '../../platform/http/attachment-answer.ts'
import { encodeId } from '../../shared/ids.ts'
import { authorOf } from '../download-author.ts'
import { route } from '../route.ts'
import { idParam } from '../schemas/fields.ts'

export const getMedia = route({
  method: 'GET',
  path: '/messages/chat/:id/media',
  scope: 'MEDIA_READ',
  summary: 'The file that a customer sent, whole or a byte range of it',
  params: idParam('message'),
  errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
  async handle({ caller, params, services, request }) {
    const found = await services.messages.media(caller.workspaceId, params.id, request.signal)
    await services.noteDownload(authorOf(caller, request), {
      action: 'media.downloaded',
      subjectKind: 'message',
      subjectId: params.id,
      after: { mimeType: found.mimeType, sizeBytes: found.sizeBytes },
    })
    return attachmentAnswer(request, found, encodeId('message', params.id))
  },
})
