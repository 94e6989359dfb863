// Erasures and exports of contacts.

import * as v from 'valibot'
import { notFound } from '../../contract/errors.ts'
import { fileAnswer } from '../../platform/http/file-answer.ts'
import { inPlace } from '../../platform/http/in-place.ts'
import { bodyErrors, optionalBody } from '../../platform/http/optional-body.ts'
import { byId, pageBody, pageQuery, pageRequest } from '../../platform/http/paging.ts'
import { Answer } from '../../platform/http/route.ts'
import { encodeId } from '../../shared/ids.ts'
import { authorOf } from '../download-author.ts'
import { route } from '../route.ts'
import { idParam, noFields, pageOf } from '../schemas/fields.ts'
import { erasureView, exportView, phoneParam } from '../schemas/privacy.ts'

const erasures = byId('erasures')
const exports = byId('exports')
const listQuery = v.strictObject({ ...pageQuery })

/** Of an open job: 200, and nothing begins again. */
const begun = <Body>({ record, isNew }: { readonly record: Body; readonly isNew: boolean }) =>
  isNew ? record : new Answer(record, { status: 200, headers: { 'idempotent-replayed': 'true' } })

export const requestErasure = route({
  method: 'POST',
  path: '/contacts/:phone/erasures',
  scope: 'CONTACTS_ERASE',
  summary: 'Erase everything that is known of a contact; it cannot be taken back',
  params: phoneParam,
  response: erasureView,
  success: 202,
  errors: [...bodyErrors, 'NOT_FOUND'],
  async handle({ caller: { workspaceId, keyId }, params, services, request }) {
    await optionalBody(request, noFields)
    const by = { workspaceId, keyId, operatorId: null, ip: request.remoteAddress }
    return begun(await services.privacy.requestErasure(by, params.phone))
  },
})

export const listErasures = route({
  method: 'GET',
  path: '/erasures',
  scope: 'CONTACTS_ERASE',
  summary: 'List erasures, newest first',
  query: listQuery,
  response: pageOf(erasureView),
  errors: [],
  async handle({ caller, query, services }) {
    const page = pageRequest(erasures, query)
    return pageBody(erasures, await services.privacy.listErasures(caller.workspaceId, page))
  },
})

export const getErasure = route({
  method: 'GET',
  path: '/erasures/:id',
  scope: 'CONTACTS_ERASE',
  summary: 'See how far an erasure is',
  params: idParam('erasure'),
  response: erasureView,
  errors: ['NOT_FOUND'],
  async handle({ caller, params, services }) {
    return (await services.privacy.findErasure(caller.workspaceId, params.id)) ?? missing('erasure')
  },
})

export const requestExport = route({
  method: 'POST',
  path: '/contacts/:phone/exports',
  scope: 'CONTACTS_EXPORT',
  summary: 'Export everything that is known of a contact',
  params: phoneParam,
  response: exportView,
  success: 202,
  errors: [...bodyErrors, 'NOT_FOUND'],
  async handle({ caller: { workspaceId, keyId }, params, services, request }) {
    await optionalBody(request, noFields)
    const by = { workspaceId, keyId, operatorId: null, ip: request.remoteAddress }
    return begun(await services.privacy.requestExport(by, params.phone))
  },
})

export const listExports = route({
  method: 'GET',
  path: '/exports',
  scope: 'CONTACTS_EXPORT',
  summary: 'List exports, newest first',
  query: listQuery,
  response: pageOf(exportView),
  errors: [],
  async handle({ caller, query, services }) {
    const page = pageRequest(exports, query)
    return pageBody(exports, await services.privacy.listExports(caller.workspaceId, page))
  },
})

export const getExport = route({
  method: 'GET',
  path: '/exports/:id',
  scope: 'CONTACTS_EXPORT',
  summary: 'See how far an export is',
  params: idParam('export'),
  response: exportView,
  errors: ['NOT_FOUND'],
  async handle({ caller, params, services }) {
    return (await services.privacy.findExport(caller.workspaceId, params.id)) ?? missing('export')
  },
})

export const getExportFile = route({
  method: 'GET',
  path: '/exports/:id/file',
  scope: 'CONTACTS_EXPORT',
  summary: 'The archive of an export, whole or a byte range of it',
  params: idParam('export'),
  errors: ['NOT_FOUND', 'INVALID_STATE', 'RANGE_NOT_SATISFIABLE'],
  handle: ({ caller, params, services, request }) =>
    inPlace(
      request,
      () => services.messages.enterDownload(caller.workspaceId),
      async () => {
        const file = await services.privacy.exportFile(caller.workspaceId, params.id)
        await services.noteDownload(authorOf(caller, request), {
          action: 'contact.export_downloaded',
          subjectKind: 'export',
          subjectId: params.id,
        })
        return fileAnswer(request, { ...file, ...archiveOf(encodeId('export', params.id)), body: file.open })
      },
    ),
})

const archiveOf = (name: string) => ({ mimeType: 'application/x-tar', fileName: `${name}.tar` })

const missing = (what: string): never => {
  throw notFound(what)
}
