// Campaigns in the console: the routes of the public API, for members instead of keys, and with an audit
// entry for each change.
import * as v from 'valibot'
import { includesRole } from '../../accounts/roles.ts'
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
import type { RowVerdict } from '../../campaigns/add-recipients.ts'
import { campaignShown } from '../../campaigns/campaign-shown.ts'
import type { Campaigns } from '../../campaigns/campaigns.module.ts'
import type { AuditNote, Author } from '../../contract/administration.ts'
import type { Caller } from '../../contract/caller.ts'
import { AppError } from '../../contract/errors.ts'
import type { HttpRequest } from '../../platform/http/exchange.ts'
import { LinesAnswer, type RouteInput, type Schema } from '../../platform/http/route.ts'
import type { CampaignId, WorkspaceId } from '../../shared/ids.ts'
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
  const forMembers =
    <Input extends Asked>(handle: (input: ForKeys<Input>) => unknown) =>
    ({ context, ...input }: Input) => {
      const { author } = context
      if (!author) throw new Error('a row of a workspace was reached without a member')
      const rows: ChangedRows = { count: 0 }
      const services = servicesFor(campaigns, { context, author, rows })
      // These routes use only the workspace of the caller.
      const caller = { workspaceId: author.workspaceId } as Caller
      const run = async () => {
        const query = await withNumber(context, author.workspaceId, input.query)
        return handle({ ...input, query, context: { caller, services } })
      }
      if (action === null || !isOfRecipients(action)) return run()
      return audited({ context, services, author, ...input, action, rows }, run)
    }
  const { scope: _, upload, ...route } = row
  return {
    ...route,
    query: row === listRecipients ? spelledQuery : row.query,
    path: `/workspaces/:ws${row.path}`,
    params: row.params && withoutWorkspace(row.params),
    access: { type: 'workspace', role: row.method === 'GET' ? 'VIEWER' : 'ADMIN' },
    needsProof: 'never',
    reachesCustomers: row === startCampaign,
    handle: forMembers(row.handle),
    upload: upload && { ...upload, handle: forMembers(upload.handle) },
  }
}

/** How many recipients this request has added or removed. The totals of the campaign change by others, too. */
interface ChangedRows {
  count: number
}

/** The services of the API, which write the changes of a campaign with their author, and count those of recipients. */
function servicesFor(
  { campaigns, recipients }: CampaignServices,
  { context, author, rows }: Pick<Change, 'context' | 'author' | 'rows'>,
): ApiServices {
  const { create, change, start, pause, cancel } = campaigns
  const used: Pick<ApiServices, 'campaigns' | 'recipients' | 'noteDownload'> = {
    campaigns: {
      ...campaigns,
      create: (workspaceId, draft, key) => create(workspaceId, draft, key, author),
      change: (workspaceId, id, changes) => change(workspaceId, id, changes, author),
      delete: (workspaceId, id) => campaigns.delete(workspaceId, id, author),
      start: (workspaceId, id, options) => start(workspaceId, id, { ...options, by: author }),
      pause: (workspaceId, id) => pause(workspaceId, id, author),
      cancel: (workspaceId, id) => cancel(workspaceId, id, author),
    },
    recipients: {
      ...recipients,
      async *add(input) {
        for await (const batch of recipients.add(input)) {
          if (!input.isDryRun) rows.count += batch.filter(isKept).length
          yield batch
        }
      },
      async remove(...of) {
        const result = await recipients.remove(...of)
        rows.count += result.removed
        return result
      },
    },
    // With the operator and not with the key, and inside the place of the report, which is left if this fails.
    noteDownload: (_key, note) => noteReport(context, author, note),
  }
  return used as ApiServices
}

const isKept = ({ verdict }: RowVerdict): boolean => verdict === 'added' || verdict === 'skipped'

type RecipientsAction = Extract<CampaignAction, `campaign.recipients_${string}`>

const isOfRecipients = (action: CampaignAction): action is RecipientsAction =>
  action.startsWith('campaign.recipients_')

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

/** The only services that these routes use. */
export type CampaignServices = Pick<Campaigns, 'campaigns' | 'recipients'>

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
  readonly action: RecipientsAction
  readonly rows: ChangedRows
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

/** A report is whole, and leaves with the operator: for admins, and in the audit before its first row is sent. */
async function noteReport(
  { role, services }: ConsoleContext,
  author: Author,
  note: AuditNote,
): Promise<void> {
  if (role !== undefined && !includesRole(role, 'ADMIN'))
    throw new AppError('FORBIDDEN', 'Reports are for admins. The list itself can be read page by page.')
  await services.audit.note(author, note)
}

/**
 * Recipients come and go in many transactions, so their entry is written at the end, and none if this request changed
 * nothing. After an error the totals tell, too: the commit that broke off may have been one.
 */
async function audited(
  { context, services, action, rows, author, params, request }: Change,
  run: () => unknown,
): Promise<unknown> {
  const { id } = params as { readonly id: CampaignId }
  const read = async () => campaignShown(await services.campaigns.find(author.workspaceId, id))
  const before = await read()
  const note = async (error?: unknown): Promise<void> => {
    const after = await read()
    const isInDoubt = error !== undefined && !(error instanceof AppError)
    if (rows.count > 0 || (isInDoubt && before?.recipients !== after?.recipients))
      await context.services.audit.note(author, {
        ...{ action, subjectKind: 'campaign', subjectId: id, before },
        after: action === 'campaign.recipients_added' ? { ...after, ...uploadOf(request) } : after,
      })
  }
  let result: unknown
  try {
    result = await run()
  } catch (error) {
    await note(error)
    throw error
  }
  // The rows of an upload are added while the answer is sent.
  if (result instanceof LinesAnswer) return new LinesAnswer(untilOver(result.batches, note), result.headers)
  await note()
  return result
}

/** Not a generator: `return` on a generator that never started, as of a client who is gone, runs nothing of it. */
const untilOver = <T>(
  source: AsyncIterable<T>,
  end: (error?: unknown) => Promise<void>,
): AsyncIterable<T> => ({
  [Symbol.asyncIterator]() {
    const steps = source[Symbol.asyncIterator]()
    let over: Promise<void> | undefined
    const endOnce = (error?: unknown) => {
      over ??= end(error)
      return over
    }
    return {
      async next() {
        try {
          const step = await steps.next()
          if (step.done) await endOnce()
          return step
        } catch (error) {
          await endOnce(error)
          throw error
        }
      },
      async return() {
        try {
          await steps.return?.()
        } finally {
          await endOnce()
        }
        return { done: true, value: undefined }
      },
    }
  },
})
