// Erases and exports the contact of a conversation, as an operator.
import * as v from 'valibot'
import type { Author } from '../../contract/administration.ts'
import { AppError, notFound } from '../../contract/errors.ts'
import { fileAnswer } from '../../platform/http/file-answer.ts'
import { inPlace } from '../../platform/http/in-place.ts'
import { Answer } from '../../platform/http/route.ts'
import { isUserId } from '../../shared/address.ts'
import { type ConversationId, encodeId } from '../../shared/ids.ts'
import { workspaceRoute } from '../route.ts'
import { idParams } from '../schema.ts'
import type { ConsoleServices } from '../services.ts'

const requestErasure = workspaceRoute({
  method: 'POST',
  path: '/conversations/:id/erasure',
  summary:
    'Erase everything that is known of the contact; `confirm` is the number or the user id, typed again',
  role: 'ADMIN',
  needsProof: true,
  params: idParams('conversation'),
  body: v.strictObject({ confirm: v.pipe(v.string(), v.maxLength(160)) }),
  success: 202,
  errors: ['NOT_FOUND', 'VALIDATION_ERROR', 'INVALID_STATE'],
  async handle({ services, author, params, body: { confirm } }) {
    const address = await addressOf(services, author, params.id)
    const typed = isUserId(address) ? confirm.trim() : confirm.replace(/[^0-9]/g, '')
    if (typed !== address)
      throw new AppError('VALIDATION_ERROR', 'That is not the number or the user id of the contact.', {
        details: [{ path: 'confirm', message: 'Type the number or the user id of the contact' }],
      })
    return begun(await services.privacy.requestErasure(requesterOf(author), address))
  },
})

const requestExport = workspaceRoute({
  method: 'POST',
  path: '/conversations/:id/export',
  summary: 'Export everything that is known of the contact',
  role: 'ADMIN',
  params: idParams('conversation'),
  body: v.strictObject({}),
  success: 202,
  errors: ['NOT_FOUND', 'INVALID_STATE'],
  handle: async ({ services, author, params }) =>
    begun(
      await services.privacy.requestExport(requesterOf(author), await addressOf(services, author, params.id)),
    ),
})

async function addressOf({ reads }: ConsoleServices, author: Author, id: ConversationId): Promise<string> {
  const conversation = await reads.conversations.find(author.workspaceId, id)
  if (!conversation) throw notFound('conversation')
  if (conversation.group)
    throw new AppError(
      'INVALID_STATE',
      'This is a group. Erase and export its members in their own conversations.',
    )
  const { waId, userId } = conversation.contact
  return waId || (userId ?? '')
}

const requesterOf = ({ workspaceId, operatorId, ip }: Author) => ({
  workspaceId,
  operatorId,
  ip,
  keyId: null,
})

/** 200: one is under way, and nothing begins again. */
const begun = <Body>({ record, isNew }: { readonly record: Body; readonly isNew: boolean }) =>
  isNew ? record : new Answer(record, { status: 200 })

const getErasure = workspaceRoute({
  method: 'GET',
  path: '/erasures/:id',
  summary: 'How far an erasure is',
  role: 'ADMIN',
  params: idParams('erasure'),
  errors: ['NOT_FOUND'],
  handle: async ({ services, author, params }) =>
    (await services.privacy.findErasure(author.workspaceId, params.id)) ?? missing('erasure'),
})

const getExport = workspaceRoute({
  method: 'GET',
  path: '/exports/:id',
  summary: 'How far an export is',
  role: 'ADMIN',
  params: idParams('export'),
  errors: ['NOT_FOUND'],
  handle: async ({ services, author, params }) =>
    (await services.privacy.findExport(author.workspaceId, params.id)) ?? missing('export'),
})

const getExportFile = workspaceRoute({
  method: 'GET',
  path: '/exports/:id/file',
  summary: 'The archive of an export',
  role: 'ADMIN',
  params: idParams('export'),
  errors: ['NOT_FOUND', 'INVALID_STATE', 'RANGE_NOT_SATISFIABLE', 'RATE_LIMITED', 'OVERLOADED'],
  handle: ({ services, author, params, request }) =>
    inPlace(
      request,
      () => services.acting.enterDownload(author.workspaceId),
      async () => {
        const file = await services.privacy.exportFile(author.workspaceId, params.id)
        await services.audit.note(author, {
          action: 'contact.export_downloaded',
          subjectKind: 'export',
          subjectId: params.id,
        })
        const name = `${encodeId('export', params.id)}.tar`
        return fileAnswer(request, {
          ...file,
          mimeType: 'application/x-tar',
          fileName: name,
          body: file.open,
        })
      },
    ),
})

const missing = (what: string): never => {
  throw notFound(what)
}

export const privacyRoutes = [requestErasure, requestExport, getErasure, getExport, getExportFile]
