// Uploads files for the headers of templates, and samples of them for the review. conversations.ts serves the files that customers sent.
import * as v from 'valibot'
import { AppError } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import { maxCharacters } from '../../platform/http/fields.ts'
import { workspaceRoute } from '../route.ts'
import { idOf } from '../schema.ts'

const types = ['image/jpeg', 'image/png', 'video/mp4', 'video/3gpp', 'application/pdf']

const fileName = v.optional(
  v.pipe(v.string(), v.minLength(1), maxCharacters(240, 'must be at most 240 characters long')),
  'file',
)

const uploadMedia = workspaceRoute({
  method: 'POST',
  path: '/media',
  summary: 'Pass a file on to the provider; its id is what the header of a template takes in place of a link',
  role: 'AGENT',
  reachesCustomers: true,
  query: v.strictObject({
    numberId: v.optional(idOf('number')),
    fileName,
  }),
  success: 201,
  errors: [
    'NO_SENDER_NUMBER',
    'UNSUPPORTED_MEDIA_TYPE',
    'PROVIDER_ERROR',
    'OVERLOADED',
    'RATE_LIMITED',
    'TENANT_SUSPENDED',
  ],
  handle() {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `send the file itself, as ${types.join(' or ')}`)
  },
  upload: {
    types,
    limitBytes: limits.mediaUploadBytes,
    async handle({ services, author, query: { numberId = null, fileName }, upload: { type, pieces } }) {
      const file = { mimeType: type, fileName, pieces }
      const { id, sizeBytes } = await services.acting.upload(author.workspaceId, numberId, file)
      await services.audit.note(author, {
        action: 'media.uploaded',
        subjectKind: 'workspace',
        subjectId: author.workspaceId,
        after: { mimeType: type, fileName, sizeBytes },
      })
      return { id, mimeType: type, fileName, sizeBytes }
    },
  },
})

const sampleTypes = ['image/jpeg', 'image/png', 'video/mp4', 'application/pdf']

const uploadSample = workspaceRoute({
  method: 'POST',
  path: '/templates/samples',
  summary:
    'Pass a sample on to the provider; its handle is what the media header of a submission takes as example',
  role: 'ADMIN',
  query: v.strictObject({ fileName }),
  success: 201,
  errors: ['UNSUPPORTED_MEDIA_TYPE', 'PROVIDER_ERROR', 'OVERLOADED'],
  handle() {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `send the file itself, as ${sampleTypes.join(' or ')}`)
  },
  upload: {
    types: sampleTypes,
    limitBytes: limits.mediaUploadBytes,
    async handle({ services, author, query, upload: { type, pieces } }) {
      const file = { mimeType: type, fileName: query.fileName, pieces }
      const { handle, sizeBytes } = await services.uploadSample(author.workspaceId, file)
      await services.audit.note(author, {
        action: 'media.uploaded',
        subjectKind: 'workspace',
        subjectId: author.workspaceId,
        after: { mimeType: type, fileName: query.fileName, sizeBytes },
      })
      return { handle, mimeType: type, fileName: query.fileName, sizeBytes }
    },
  },
})

export const mediaRoutes = [uploadMedia, uploadSample]
