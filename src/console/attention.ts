// What needs somebody in a workspace: the rules that make problems of the overview's figures. Pages make the sentences.
import { limits } from '../contract/limits.ts'
import type { OverviewFigures } from '../contract/overview.ts'
import {
  type Attention,
  type AttentionFacts,
  type AttentionKind,
  attentionKinds,
  type Severity,
} from '../contract/records/overview.ts'
import { encodeId, idTimeMs, type Uuid } from '../shared/ids.ts'

/** Fewer failures in a row are told by the endpoint's page: a receiver that restarts fails once or twice. */
const failingFrom = 3
const [, nearlyOff] = limits.failureWarnings

/** The most serious first: what does not work now before what will not, and each kind in its order. */
export function attentionOf(figures: OverviewFigures, nowMs: number): Attention[] {
  const found = [
    ...figures.account.map(ofAccount),
    ...figures.endpoints.flatMap(ofEndpoint),
    ...ofNumbers(figures),
    ...figures.campaigns.flatMap(ofCampaign),
    ...figures.templates.map(ofTemplate),
    ...figures.keys.map((key) => ofKey(key, nowMs)),
    ...ofElements(figures.notUnderstood),
  ]
  return found.toSorted((one, other) => one.rank - other.rank)
}

const ranks = new Map(attentionKinds.map((kind, place) => [kind, place]))

function problem<Kind extends AttentionKind>(
  kind: Kind,
  facts: AttentionFacts[Kind],
  given: {
    readonly severity: Severity
    readonly subject?: Attention['subject']
    readonly key?: string
    readonly since?: string | null
  },
): Attention {
  const { severity, subject = { id: null, name: '' }, since = null } = given
  const rank = (severity === 'CRITICAL' ? 0 : attentionKinds.length) + (ranks.get(kind) ?? 0)
  const id = `${kind}:${given.key ?? subject.id ?? 'workspace'}`
  return { id, kind, severity, rank, subject, since, facts } as Attention
}

/** Postgres writes times into JSON in its own form. */
const iso = (at: string): string => new Date(at).toISOString()
const isoOrNull = (at: string | null): string | null => at && iso(at)

function ofEndpoint(endpoint: OverviewFigures['endpoints'][number]): Attention[] {
  const {
    name,
    enabled,
    consecutiveFailures: failures,
    byFailures,
    held,
    lastAttempt,
    turnedOffBy,
  } = endpoint
  const subject = { id: encodeId('endpoint', endpoint.id), name }
  const last = lastAttempt && { ...lastAttempt, at: iso(lastAttempt.at) }
  if (!enabled) {
    const facts = { byFailures, by: turnedOffBy, failures, lastAttempt: last, held }
    const severity = byFailures || held > 0 ? 'CRITICAL' : 'WARNING'
    return [problem('ENDPOINT_OFF', facts, { severity, subject, since: isoOrNull(endpoint.disabledAt) })]
  }
  const found: Attention[] = []
  if (failures >= failingFrom) {
    const facts = { failures, limit: limits.failuresToDisable, lastAttempt: last }
    found.push(
      problem('ENDPOINT_FAILING', facts, {
        severity: failures >= nearlyOff ? 'CRITICAL' : 'WARNING',
        subject,
        since: last?.at ?? null,
      }),
    )
  }
  if (held > 0) found.push(problem('DELIVERIES_HELD', { held }, { severity: 'WARNING', subject }))
  return found
}

function ofNumbers({ numbers, endpoints }: OverviewFigures): Attention[] {
  const lacksDefault = numbers.length > 0 && !numbers.some(({ isDefault }) => isDefault)
  const isHeard = endpoints.some(({ receivesMessages }) => receivesMessages)
  return [
    ...(lacksDefault ? [problem('NO_DEFAULT_NUMBER', {}, { severity: 'CRITICAL' })] : []),
    ...numbers.flatMap((number) => ofNumber(number, isHeard)),
  ]
}

function ofNumber(given: OverviewFigures['numbers'][number], isHeard: boolean): Attention[] {
  const { number, isRouted, status, calls, lost, lastError } = given
  const subject = { id: encodeId('number', given.id), name: number }
  const found: Attention[] = []
  if (status !== 'CONNECTED')
    found.push(problem('NUMBER_STOPPED', { status }, { severity: 'CRITICAL', subject }))
  if (lastError) {
    const endpointId = lastError.endpointId && encodeId('endpoint', lastError.endpointId as Uuid<'endpoint'>)
    const error = { ...lastError, endpointId, at: iso(lastError.at) }
    const endpoint = endpointId && given.endpointName ? { id: endpointId, name: given.endpointName } : null
    const facts = { calls, lost, error, endpoint }
    found.push(problem('CALLS_LOST', facts, { severity: 'CRITICAL', subject, since: error.at }))
  }
  if (!isHeard && !isRouted) found.push(problem('NUMBER_UNROUTED', {}, { severity: 'WARNING', subject }))
  return found
}

function ofAccount(state: OverviewFigures['account'][number]): Attention {
  const { topic, key, isCritical, message, advice, until, at } = state
  const facts = { topic, message, advice, until: isoOrNull(until) }
  const given = { key: `${topic} ${key}`, since: iso(at) }
  return isCritical
    ? problem('ACCOUNT_STOPPED', facts, { ...given, severity: 'CRITICAL' })
    : problem('ACCOUNT_WARNING', facts, { ...given, severity: 'WARNING' })
}

function ofCampaign(campaign: OverviewFigures['campaigns'][number]): Attention[] {
  const { name, pauseReason: reason, pauseError: error, pausedAt, pending, unknown } = campaign
  const subject = { id: encodeId('campaign', campaign.id), name }
  const found: Attention[] = []
  if (reason !== null)
    found.push(
      problem(
        'CAMPAIGN_PAUSED',
        { reason, error, pending },
        { severity: 'CRITICAL', subject, since: isoOrNull(pausedAt) },
      ),
    )
  if (unknown > 0) found.push(problem('CAMPAIGN_UNKNOWN', { unknown }, { severity: 'WARNING', subject }))
  return found
}

const ofTemplate = ({ id, name, since, ...facts }: OverviewFigures['templates'][number]): Attention =>
  problem('TEMPLATE_STOPPED', facts, {
    severity: facts.status === 'REJECTED' ? 'WARNING' : 'CRITICAL',
    subject: { id: encodeId('template', id), name },
    since: isoOrNull(since),
  })

function ofKey({ id, name, ...times }: OverviewFigures['keys'][number], nowMs: number): Attention {
  const facts = { expiresAt: iso(times.expiresAt), lastUsedAt: isoOrNull(times.lastUsedAt) }
  const isOver = Date.parse(facts.expiresAt) <= nowMs
  const subject = { id: encodeId('key', id), name }
  return problem('KEY_EXPIRING', facts, { severity: isOver ? 'CRITICAL' : 'WARNING', subject })
}

const ofElements = ({ count, lastId }: OverviewFigures['notUnderstood']): Attention[] =>
  count === 0
    ? []
    : [
        problem(
          'NOT_UNDERSTOOD',
          { count },
          {
            severity: 'WARNING',
            since: lastId && new Date(idTimeMs(lastId)).toISOString(),
          },
        ),
      ]
