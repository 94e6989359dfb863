// Campaigns in the console: the very rows of the public API, for members instead of keys, and with an audit entry for
// each change.
import * as v from 'valibot'
import type { ApiContext, ApiRoute } from '../api/route.ts'
import type { ApiServices } from '../api/services.ts'
import { table } from '../api/table.ts'
import type { ConsoleContext, ConsoleRoute } from '../console/route.ts'
import type { Author } from '../contract/administration.ts'
import type { Caller } from '../contract/caller.ts'
import type { CampaignRecord } from '../contract/records/campaign.ts'
import type { HttpRequest } from '../http/exchange.ts'
import { Answer, LinesAnswer, type RouteInput, type Schema } from '../http/route.ts'
import { type CampaignId, decodeId } from '../shared/ids.ts'

const RECIPIENTS_ADDED = 'POST /campaigns/:id/recipients'

const actions: Readonly<Record<string, string>> = {
  'POST /campaigns': 'campaign.created',
  'PATCH /campaigns/:id': 'campaign.edited',
  'DELETE /campaigns/:id': 'campaign.deleted',
  [RECIPIENTS_ADDED]: 'campaign.recipients_added',
  'DELETE /campaigns/:id/recipients': 'campaign.recipients_removed',
  'POST /campaigns/:id/start': 'campaign.started',
  'POST /campaigns/:id/pause': 'campaign.paused',
  'POST /campaigns/:id/cancel': 'campaign.cancelled',
}

type Asked = Omit<RouteInput<ConsoleContext>, 'body'>
type ForKeys<Input> = Omit<Input, 'context'> & { readonly context: ApiContext }

export const consoleCampaigns = (services: CampaignServices): ConsoleRoute[] =>
  table.filter(({ path }) => path.startsWith('/campaigns')).map((row) => toConsole(row, services))

function toConsole(row: ApiRoute, campaigns: CampaignServices): ConsoleRoute {
  const services = campaigns as ApiServices
  const action = actions[`${row.method} ${row.path}`]
  const forMembers =
    <Input extends Asked>(handle: (input: ForKeys<Input>) => unknown) =>
    ({ context, ...input }: Input) => {
      const { author } = context
      if (!author) throw new Error('a row of a workspace was reached without a member')
      // These rows ask nothing of a caller but its workspace.
      const caller = { workspaceId: author.workspaceId } as Caller
      const run = () => handle({ ...input, context: { caller, services } })
      return action === undefined ? run() : audited({ context, services, action, author, ...input }, run)
    }
  const { scope: _, upload, ...route } = row
  return {
    ...route,
    path: `/workspaces/:ws${row.path}`,
    params: row.params && withoutWorkspace(row.params),
    access: { type: 'workspace', role: row.method === 'GET' ? 'VIEWER' : 'ADMIN' },
    needsProof: false,
    reachesCustomers: action === 'campaign.started',
    handle: forMembers(row.handle),
    upload: upload && { ...upload, handle: forMembers(upload.handle) },
  }
}

/** Of all the services of the API these rows reach for no others. */
export type CampaignServices = Pick<ApiServices, 'campaigns' | 'recipients'>

/** The router of the console gives the workspace, too, and the guard has seen to it. */
const withoutWorkspace = (params: Schema): Schema =>
  v.pipe(
    v.looseObject({}),
    v.transform(({ ws: _, ...rest }): unknown => rest),
    params,
  )

interface Change {
  readonly context: ConsoleContext
  readonly services: ApiServices
  readonly action: string
  readonly author: Author
  readonly params: unknown
  readonly request: HttpRequest
}

/** Of an upload in slices: names the upload, so that all of it is one entry of the audit. */
const UPLOAD = 'x-upload-id'
const uploadShape = /^[\w-]{16,64}$/

const uploadOf = (request: HttpRequest): string | undefined => {
  const given = request.header(UPLOAD)
  return given !== undefined && uploadShape.test(given) ? given : undefined
}

/** What has changed nothing, such as the second start, is no change. What broke off may have changed something. */
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
        ...{ before, after, partOf: action === actions[RECIPIENTS_ADDED] ? uploadOf(request) : undefined },
      })
  }
  let result: unknown
  try {
    result = await run()
  } catch (error) {
    await note(id)
    throw error
  }
  // The rows of an upload come while the answer goes.
  if (result instanceof LinesAnswer)
    return new LinesAnswer(
      untilOver(result.batches, () => note(id)),
      result.headers,
    )
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
