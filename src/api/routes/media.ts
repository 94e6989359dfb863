import { fileAnswer } from '../../http/file-answer.ts'
import { encodeId } from '../../shared/ids.ts'
import { route } from '../route.ts'
import { idParam } from '../schemas/fields.ts'

export const readMedia = route({
  method: 'GET',
  path: '/messages/chat/:id/media',
  scope: 'MEDIA_READ',
  summary: 'The file that a customer sent, whole or a byte range of it',
  params: idParam('message'),
  errors: ['NOT_FOUND', 'RANGE_NOT_SATISFIABLE'],
  async handle({ caller, params, services, request }) {
    const found = await services.messages.media(caller.workspaceId, params.id, request.signal)
    return fileAnswer(request, {
      ...found,
      fileName: found.fileName ?? `${encodeId('message', params.id)}${endingOf(found.mimeType)}`,
      async body(range) {
        const blob = await found.open(range)
        // A gateway that looks in another place than the worker put it.
        if (!blob) throw new Error('the bytes of a stored attachment are not in the blob store')
        return blob.body
      },
    })
  },
})

// What the provider passes on (its list of media types).
const endings: Readonly<Record<string, string>> = {
  'audio/aac': '.aac',
  'audio/amr': '.amr',
  'audio/mpeg': '.mp3',
  'audio/mp4': '.m4a',
  'audio/ogg': '.ogg',
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/webp': '.webp',
  'video/mp4': '.mp4',
  'video/3gpp': '.3gp',
  'application/pdf': '.pdf',
  'text/plain': '.txt',
}

const endingOf = (mimeType: string): string =>
  endings[mimeType.split(';')[0]?.trim().toLowerCase() ?? ''] ?? ''
