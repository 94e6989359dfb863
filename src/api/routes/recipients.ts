import type { RowVerdict } from '../../campaigns/add-recipients.ts'
import { notFound } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { RecipientRecord } from '../../contract/records/campaign.ts'
import { preferredType } from '../../platform/http/accept.ts'
import type { HttpRequest } from '../../platform/http/exchange.ts'
import { inPlace } from '../../platform/http/in-place.ts'
import { linesType } from '../../platform/http/lines-answer.ts'
import { byId, pageBody, pageRequest } from '../../platform/http/paging.ts'
import { LinesAnswer, RawAnswer } from '../../platform/http/route.ts'
import { validationError } from '../../platform/http/validate.ts'
import { readAhead } from '../../shared/read-ahead.ts'
import { authorOf } from '../download-author.ts'
import { additionOf, begun, verdictLines } from '../recipients-answer.ts'
import { recipientReport } from '../recipients-report.ts'
import { csvType, uploadBatches, uploadTypes } from '../recipients-upload.ts'
import { route } from '../route.ts'
import {
  additionQuery,
  additionView,
  recipientQuery,
  recipientsBody,
  recipientView,
  removalBody,
  removalView,
} from '../schemas/campaigns.ts'
import { idParam, pageOf } from '../schemas/fields.ts'

const recipients = byId('recipients')
const jsonType = 'application/json'

export const listRecipients = route({
  method: 'GET',
  path: '/campaigns/:id/recipients',
  scope: 'CAMPAIGNS_READ',
  summary: 'List recipients in the order they were added, or all of them as CSV or as JSON a line',
  params: idParam('campaign'),
  query: recipientQuery,
  response: pageOf(recipientView),
  errors: ['NOT_FOUND'],
  async handle({ caller, params, query: { limit, cursor, ...filter }, services, request }) {
    const { workspaceId } = caller
    if (!(await services.campaigns.find(workspaceId, params.id))) throw notFound('campaign')
    const form = preferredType(request, [jsonType, csvType, linesType])
    if (form === jsonType) {
      const page = pageRequest(recipients, { limit, cursor })
      return pageBody(recipients, await services.recipients.list(workspaceId, params.id, filter, page))
    }
    refusePaging(request)
    return inPlace(
      request,
      () => services.recipients.enterReport(workspaceId),
      async () => {
        await services.noteDownload(authorOf(caller, request), {
          action: 'campaign.exported',
          subjectKind: 'campaign',
          subjectId: params.id,
          after: { form: form === linesType ? 'NDJSON' : 'CSV' },
        })
        const batches = services.recipients.all(workspaceId, params.id, filter)
        return form === linesType ? new LinesAnswer(batches) : reportAnswer(batches)
      },
    )
  },
})

const reportAnswer = (batches: AsyncIterable<readonly RecipientRecord[]>) =>
  new RawAnswer(recipientReport(batches), {
    'content-type': 'text/csv; charset=utf-8; header=present',
    'content-disposition': 'attachment; filename="recipients.csv"',
    'cache-control': 'no-store',
  })

function refusePaging(request: HttpRequest): void {
  const paging = ['limit', 'cursor'].filter((name) => request.query.has(name))
  if (paging.length > 0)
    throw validationError(paging.map((path) => ({ path, message: 'does not apply to the whole report' })))
}

export const addRecipients = route({
  method: 'POST',
  path: '/campaigns/:id/recipients',
  scope: 'CAMPAIGNS_WRITE',
  summary: 'Add recipients: up to 10,000 as JSON, or a stream of CSV or of JSON a line',
  params: idParam('campaign'),
  query: additionQuery,
  body: recipientsBody,
  bodyBytes: limits.recipientsBodyBytes,
  response: additionView,
  errors: ['NOT_FOUND', 'INVALID_STATE', 'TEMPLATE_NOT_FOUND'],
  handle: ({ caller, params, query, body, services, request }) => {
    const input = { workspaceId: caller.workspaceId, id: params.id, isDryRun: query.dryRun ?? false }
    const verdicts = services.recipients.add({ ...input, batches: only(body.recipients) })
    return answer(request, verdicts, limits.recipientsPerCall)
  },
  upload: {
    types: uploadTypes,
    limitBytes: limits.recipientsUploadBytes,
    handle: ({ caller: { workspaceId }, params, query, upload, services, request }) =>
      inPlace(
        request,
        () => services.recipients.enter(workspaceId),
        () => {
          const input = { workspaceId, id: params.id, isDryRun: query.dryRun ?? false }
          const verdicts = services.recipients.add({ ...input, batches: readAhead(uploadBatches(upload)) })
          return answer(request, verdicts, limits.invalidRowsListed)
        },
      ),
  },
})

/** One line per row when the client accepts NDJSON, otherwise a summary. */
async function answer(
  request: HttpRequest,
  verdicts: AsyncGenerator<readonly RowVerdict[]>,
  invalidRowsListed: number,
) {
  if (preferredType(request, [jsonType, linesType]) === linesType)
    return new LinesAnswer(await begun(verdictLines(verdicts)))
  return additionOf(verdicts, invalidRowsListed)
}

async function* only<T>(batch: T): AsyncGenerator<T> {
  yield batch
}

export const removeRecipients = route({
  method: 'DELETE',
  path: '/campaigns/:id/recipients',
  scope: 'CAMPAIGNS_WRITE',
  summary: 'Remove recipients that are still PENDING: by id, by number, or all',
  params: idParam('campaign'),
  body: removalBody,
  response: removalView,
  errors: ['NOT_FOUND', 'INVALID_STATE'],
  handle: ({ caller, params, body, services }) =>
    services.recipients.remove(caller.workspaceId, params.id, body),
})
