// Campaigns in the console: the very rows of the public API, for members instead of keys, and with an audit entry for
// each change.
import * as v from 'valibot'
import type { ApiRoute } from '../api/route.ts'
import type { ApiServices } from '../api/services.ts'
import { table } from '../api/table.ts'
import type { ConsoleContext, ConsoleRoute } from '../console/route.ts'
import type { Author } from '../contract/administration.ts'
import type { Caller } from '../contract/caller.ts'
import type { CampaignRecord } from '../contract/records/campaign.ts'
import { Answer, type RouteInput, type Schema } from '../http/route.ts'
import { type CampaignId, decodeId } from '../shared/ids.ts'

const actions: Readonly<Record<string, string>> = {
  'POST /campaigns': 'campaign.created',
  'PATCH /campaigns/:id': 'campaign.edited',
  'DELETE /campaigns/:id': 'campaign.deleted',
  'POST /campaigns/:id/recipients': 'campaign.recipients_added',
  'DELETE /campaigns/:id/recipients': 'campaign.recipients_removed',
  'POST /campaigns/:id/start': 'campaign.started',
  'POST /campaigns/:id/pause': 'campaign.paused',
  'POST /campaigns/:id/cancel': 'campaign.cancelled',
}

type Handle = ApiRoute['handle']

export const consoleCampaigns = (services: CampaignServices): ConsoleRoute[] =>
  table.filter(({ path }) => path.startsWith('/campaigns')).map((row) => toConsole(row, services))

function toConsole(row: ApiRoute, campaigns: CampaignServices): ConsoleRoute {
  const services = campaigns as ApiServices
  const action = actions[`${row.method} ${row.path}`]
  const forMembers =
    (handle: Handle) =>
    ({ context, ...input }: RouteInput<ConsoleContext>) => {
      const { author } = context
      if (!author) throw new Error('a row of a workspace was reached without a member')
      // These rows ask nothing of a caller but its workspace.
      const caller = { workspaceId: author.workspaceId } as Caller
      const run = () => handle({ ...input, context: { caller, services } })
      return action === undefined
        ? run()
        : audited({ context, services, action, author, params: input.params }, run)
    }
  const { scope: _, ...route } = row
  return {
    ...route,
    path: `/workspaces/:ws${row.path}`,
    params: row.params && withoutWorkspace(row.params),
    access: { type: 'workspace', role: row.method === 'GET' ? 'VIEWER' : 'ADMIN' },
    needsProof: false,
    reachesCustomers: action === 'campaign.started',
    handle: forMembers(row.handle),
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
}

/** What has changed nothing, such as the second start, is no change. */
async function audited(
  { context, services, action, author, params }: Change,
  run: () => unknown,
): Promise<unknown> {
  const id = (params as { readonly id?: CampaignId } | undefined)?.id
  const read = (which: CampaignId) => services.campaigns.find(author.workspaceId, which)
  const before = id === undefined ? undefined : shown(await read(id))
  const result = await run()
  const made = result instanceof Answer ? result.body : result
  const subject = id ?? decodeId('campaign', (made as CampaignRecord).id)
  if (subject === undefined) return result
  const after = shown(await read(subject))
  if (JSON.stringify(before) !== JSON.stringify(after))
    await context.services.audit.note(author, {
      ...{ action, subjectKind: 'campaign', subjectId: subject },
      ...{ before, after },
    })
  return result
}

function shown(campaign: CampaignRecord | undefined) {
  if (!campaign) return undefined
  const { name, status, template, numberId, startAt, messagesPerSecond, counts } = campaign
  return { name, status, template, numberId, startAt, messagesPerSecond, recipients: counts.total }
}
