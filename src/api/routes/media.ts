import { attachmentAnswer } from '../../platform/http/attachment-answer.ts'
import { encodeId } from '../../shared/ids.ts'
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
    return attachmentAnswer(request, found, encodeId('message', params.id))
  },
})
