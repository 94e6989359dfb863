// Campaigns in the console: the routes of the public API, for members instead of keys, and with an audit
// entry for each change.
import * as v from 'valibot'
import type { ApiContext, ApiRoute } from '../../api/route.ts'
import {
  cancelCampaign,
  changeCampaign,
  createCampaign,
  deleteCampaign,
  getCampaign,
  listCampaigns,
  pauseCampaign,
  startCampaign,
} from '../../api/routes/campaigns.ts'
import { estimateCampaign } from '../../api/routes/estimate.ts'
import { addRecipients, listRecipients, removeRecipients } from '../../api/routes/recipients.ts'
import { recipientQuery } from '../../api/schemas/campaigns.ts'
import type { ApiServices } from '../../api/services.ts'
import type { Author } from '../../contract/administration.ts'
import type { Caller } from '../../contract/caller.ts'
import type { CampaignRecord } from '../../contract/records/campaign.ts'
import type { HttpRequest } from '../../platform/http/exchange.ts'
import { Answer, LinesAnswer, RawAnswer, type RouteInput, type Schema } from '../../platform/http/route.ts'
import { type CampaignId, decodeId, type WorkspaceId } from '../../shared/ids.ts'
import type { ConsoleContext, ConsoleRoute } from '../route.ts'
import { spelling } from './spelling.ts'

type CampaignAction =
  | 'campaign.created'
  | 'campaign.edited'
  | 'campaign.deleted'
  | 'campaign.recipients_added'
  | 'campaign.recipients_removed'
  | 'campaign.started'
  | 'campaign.paused'
  | 'campaign.cancelled'

interface SharedRow {
  readonly row: ApiRoute
  /** The action in the audit entry; null: the route changes nothing. */
  readonly action: CampaignAction | null
}

export const sharedRows: readonly SharedRow[] = [
  { row: listCampaigns, action: null },
  { row: getCampaign, action: null },
  { row: estimateCampaign, action: null },
  { row: listRecipients, action: null },
  { row: createCampaign, action: 'campaign.created' },
  { row: changeCampaign, action: 'campaign.edited' },
  { row: addRecipients, action: 'campaign.recipients_added' },
  { row: removeRecipients, action: 'campaign.recipients_removed' },
  { row: startCampaign, action: 'campaign.started' },
  { row: pauseCampaign, action: 'campaign.paused' },
  { row: cancelCampaign, action: 'campaign.cancelled' },
  { row: deleteCampaign, action: 'campaign.deleted' },
]

type Asked = Omit<RouteInput<ConsoleContext>, 'body'>
type ForKeys<Input> = Omit<Input, 'context'> & { readonly context: ApiContext }

export const consoleCampaigns = (services: CampaignServices): ConsoleRoute[] =>
  sharedRows.map((shared) => toConsole(shared, services))

function toConsole({ row, action }: SharedRow, campaigns: CampaignServices): ConsoleRoute {
  // Reports leave with an operator here, not with a key: see `exported`.
  const used: CampaignServices & Pick<ApiServices, 'noteDownload'> = {
    ...campaigns,
    noteDownload: async () => undefined,
  }
  const services = used as ApiServices
  const forMembers =
    <Input extends Asked>(handle: (input: ForKeys<Input>) => unknown) =>
    ({ context, ...input }: Input) => {
      const { author } = context
      if (!author) throw new Error('a row of a workspace was reached without a member')
      // These routes use only the workspace of the caller.
      const caller = { workspaceId: author.workspaceId } as Caller
      const run = async () => {
        const query = await withNumber(context, author.workspaceId, input.query)
        return handle({ ...input, query, context: { caller, services } })
      }
      const change = { context, services, author, ...input }
      return action === null ? exported(change, run) : audited({ ...change, action }, run)
    }
  const { scope: _, upload, ...route } = row
  return {
    ...route,
    query: row === listRecipients ? spelledQuery : row.query,
    path: `/workspaces/:ws${row.path}`,
    params: row.params && withoutWorkspace(row.params),
    access: { type: 'workspace', role: row.method === 'GET' ? 'VIEWER' : 'ADMIN' },
    needsProof: 'never',
    reachesCustomers: action === 'campaign.started',
    handle: forMembers(row.handle),
    upload: upload && { ...upload, handle: forMembers(upload.handle) },
  }
}

/** Operators name a recipient in any way; keys by the address alone. */
const spelledQuery = v.strictObject({ ...recipientQuery.entries, to: v.optional(spelling) })

async function withNumber(
  { services }: ConsoleContext,
  workspaceId: WorkspaceId,
  query: unknown,
): Promise<unknown> {
  const { to, ...filter } = (query ?? {}) as { readonly to?: string }
  return to === undefined ? query : { ...filter, to: await services.search.contacts(workspaceId, to, 'to') }
}

/** The only API services that these routes use. */
export type CampaignServices = Pick<ApiServices, 'campaigns' | 'recipients'>

/** The console's router also passes the workspace, which its guard has checked already. */
const withoutWorkspace = (params: Schema): Schema =>
  v.pipe(
    v.looseObject({}),
    v.transform(({ ws: _, ...rest }): unknown => rest),
    params,
  )

interface Change {
  readonly context: ConsoleContext
  readonly services: ApiServices
  readonly action: CampaignAction
  readonly author: Author
  readonly params: unknown
  readonly request: HttpRequest
}

/** The header that identifies an upload in slices. The audit entry of each slice names it. */
const UPLOAD = 'x-upload-id'
const uploadShape = /^[\w-]{16,64}$/

function uploadOf(request: HttpRequest): { readonly upload?: string } {
  const given = request.header(UPLOAD)
  return given !== undefined && uploadShape.test(given) ? { upload: given } : {}
}

/** A report is whole, and leaves with the operator: it is in the audit before its first row is sent. */
async function exported(
  { context, author, params }: Omit<Change, 'action'>,
  run: () => unknown,
): Promise<unknown> {
  const result = await run()
  const id = (params as { readonly id?: CampaignId } | undefined)?.id
  const isReport = result instanceof RawAnswer || result instanceof LinesAnswer
  if (isReport && id !== undefined)
    await context.services.audit.note(author, {
      action: 'campaign.exported',
      subjectKind: 'campaign',
      subjectId: id,
      after: { form: result instanceof RawAnswer ? 'CSV' : 'NDJSON' },
    })
  return result
}

/**
 * Writes no entry if nothing has changed, such as for a second start. Also checks after an error: a request
 * that fails may have changed something.
 */
async function audited(
  { context, services, action, author, params, request }: Change,
  run: () => unknown,
): Promise<unknown> {
  const id = (params as { readonly id?: CampaignId } | undefined)?.id
  const read = (which: CampaignId) => services.campaigns.find(author.workspaceId, which)
  const before = id === undefined ? undefined : shown(await read(id))
  const note = async (subject: CampaignId | undefined): Promise<void> => {
    if (subject === undefined) return
    const after = shown(await read(subject))
    if (JSON.stringify(before) !== JSON.stringify(after))
      await context.services.audit.note(author, {
        ...{ action, subjectKind: 'campaign', subjectId: subject },
        ...{
          before,
          after: action === 'campaign.recipients_added' ? { ...after, ...uploadOf(request) } : after,
        },
      })
  }
  let result: unknown
  try {
    result = await run()
  } catch (error) {
    await note(id)
    throw error
  }
  // The rows of an upload are added while the answer is sent.
  if (result instanceof LinesAnswer)
    return new LinesAnswer(
      untilOver(result.batches, () => note(id)),
      result.headers,
    )
  // What an earlier request has made has its entry already.
  if (result instanceof Answer && result.headers?.['idempotent-replayed']) return result
  const made = result instanceof Answer ? result.body : result
  await note(id ?? decodeId('campaign', (made as CampaignRecord).id))
  return result
}

async function* untilOver<T>(source: AsyncIterable<T>, end: () => Promise<void>): AsyncGenerator<T> {
  try {
    yield* source
  } finally {
    await end()
  }
}

function shown(campaign: CampaignRecord | undefined) {
  if (!campaign) return undefined
  const { name, status, template, numberId, startAt, messagesPerSecond, counts } = campaign
  return { name, status, template, numberId, startAt, messagesPerSecond, recipients: counts.total }
}
