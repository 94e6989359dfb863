// Builds the overview of a workspace from figures that the store bounds. The counts of past minutes are
// cached, so the overview costs the same however busy the workspace is.
import { limits } from '../contract/limits.ts'
import type { OverviewFigures, OverviewStore } from '../contract/overview.ts'
import type { Attention, OverviewRecord } from '../contract/records/overview.ts'
import type { Clock } from '../shared/clock.ts'
import { encodeId, type WorkspaceId } from '../shared/ids.ts'
import { Lru } from '../shared/lru.ts'

export type ReadOverview = (workspaceId: WorkspaceId) => Promise<OverviewRecord>

const minuteMs = 60_000
const dayMs = 86_400_000
const minutesShown = 60
/** When the count of a past minute is final: messages commit after their ids are made, and clocks differ. */
const settledMs = 2 * minuteMs
const workspacesKept = 1_000

export function createOverview({ store, clock }: { store: OverviewStore; clock: Clock }): ReadOverview {
  const counted = new Lru<ReadonlyMap<number, number>>(workspacesKept)

  async function perMinute(workspaceId: WorkspaceId, nowMs: number): Promise<number[]> {
    const first = Math.floor(nowMs / minuteMs) * minuteMs - (minutesShown - 1) * minuteMs
    const minutes = Array.from({ length: minutesShown }, (_, index) => first + index * minuteMs)
    const known = counted.get(workspaceId) ?? new Map<number, number>()
    const missing = minutes.filter((minute) => !known.has(minute))
    const found = await store.messagesIn(workspaceId, missing)
    const fresh = new Map(missing.map((minute, index) => [minute, found[index] ?? 0]))
    const counts = minutes.map((minute) => known.get(minute) ?? fresh.get(minute) ?? 0)
    counted.set(
      workspaceId,
      new Map(
        minutes.flatMap((minute, index) =>
          minute + minuteMs + settledMs <= nowMs ? [[minute, counts[index] ?? 0] as const] : [],
        ),
      ),
    )
    return counts
  }

  return async (workspaceId) => {
    const nowMs = clock.now()
    const today = new Date(Math.floor(nowMs / dayMs) * dayMs)
    const [figures, minutes] = await Promise.all([
      store.figures(workspaceId, today),
      perMinute(workspaceId, nowMs),
    ])
    return {
      calls: { live: figures.callsLive },
      messages: { perMinute: minutes, failedToday: figures.messagesFailed },
      deliveries: {
        pending: figures.deliveriesPending,
        retrying: figures.deliveriesRetrying,
        failedToday: figures.deliveriesFailed,
      },
      endpointsOff: figures.endpoints
        .filter(({ enabled }) => !enabled)
        .map(({ id, name }) => ({ id: encodeId('endpoint', id), name })),
      campaignsRunning: figures.campaignsRunning,
      attention: attentionOf(figures),
    }
  }
}

/** What needs the operator's attention, the most serious first. */
function attentionOf(figures: OverviewFigures): Attention[] {
  return [
    ...figures.account.map(ofAccount),
    ...ofEndpoints(figures.endpoints),
    ...ofNumbers(figures),
    ...figures.campaigns.flatMap(ofCampaign),
    ...figures.templates.map(({ id, name, language, status }) =>
      attention('TEMPLATE_STOPPED', encodeId('template', id), {
        text: `Template ${name} (${language}) is ${status.toLowerCase()} and cannot be sent.`,
        link: '/templates',
      }),
    ),
  ]
}

const attention = (
  kind: Attention['kind'],
  subject: string,
  { text, link }: Pick<Attention, 'text' | 'link'>,
): Attention => ({ id: `${kind}:${subject}`, kind, text, link })

const many = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`

function ofEndpoints(endpoints: OverviewFigures['endpoints']): Attention[] {
  return endpoints.flatMap(({ name, enabled, consecutiveFailures, byFailures, held, ...endpoint }) => {
    const id = encodeId('endpoint', endpoint.id)
    const link = `/endpoints/${id}`
    const found: Attention[] = []
    if (!enabled) {
      const why = byFailures ? ` after ${consecutiveFailures} failures in a row` : ''
      found.push(attention('ENDPOINT_OFF', id, { text: `Endpoint ${name} is off${why}.`, link }))
    } else if (consecutiveFailures >= limits.failureWarnings[0]) {
      const text = `Endpoint ${name} failed ${consecutiveFailures} times in a row; at ${limits.failuresToDisable} it is switched off.`
      found.push(attention('ENDPOINT_FAILING', id, { text, link }))
    }
    if (held > 0) {
      const text = `Endpoint ${name} has ${many(held, 'delivery', 'deliveries')} held: replay or discard what is held.`
      found.push(attention('DELIVERIES_HELD', id, { text, link }))
    }
    return found
  })
}

function ofNumbers({ numbers, endpoints }: OverviewFigures): Attention[] {
  const found: Attention[] = []
  if (numbers.length > 0 && !numbers.some(({ isDefault }) => isDefault))
    found.push(
      attention('NO_DEFAULT_NUMBER', 'workspace', {
        text: 'No number is the default sender: messages that name none are refused.',
        link: '/numbers',
      }),
    )
  if (endpoints.some(({ receivesMessages }) => receivesMessages)) return found
  for (const { id, number, isRouted } of numbers) {
    if (isRouted) continue
    const text = `Nobody hears what is written to ${number}: no endpoint takes message.received.`
    found.push(attention('NUMBER_UNROUTED', encodeId('number', id), { text, link: '/numbers' }))
  }
  return found
}

function ofAccount(state: OverviewFigures['account'][number]): Attention {
  const { topic, key, isCritical, message, advice, until } = state
  const end =
    until === null ? '' : ` Until ${new Date(until).toISOString().slice(0, 16).replace('T', ' ')} UTC.`
  const link = topic.startsWith('TEMPLATE_') ? '/templates' : '/numbers'
  const text = `${message}${end}${advice === null ? '' : ` ${advice}`}`
  return attention(isCritical ? 'ACCOUNT_STOPPED' : 'ACCOUNT_WARNING', `${topic} ${key}`, { text, link })
}

function ofCampaign({ id, name, pauseReason, unknown }: OverviewFigures['campaigns'][number]): Attention[] {
  const shown = encodeId('campaign', id)
  const link = `/campaigns/${shown}`
  const found: Attention[] = []
  if (pauseReason !== null)
    found.push(
      attention('CAMPAIGN_PAUSED', shown, {
        text: `Campaign ${name} paused by itself: ${pauseReason?.replaceAll('_', ' ').toLowerCase()}.`,
        link,
      }),
    )
  if (unknown > 0)
    found.push(
      attention('CAMPAIGN_UNKNOWN', shown, {
        text: `Campaign ${name} does not know whether ${many(unknown, 'recipient', 'recipients')} got the message.`,
        link,
      }),
    )
  return found
}
