// What the overview says of each problem, and what can be done about it. Pure: the page draws it.
import type { Attention, AttentionFacts, AttentionKind } from '../../../../contract/records/overview.ts'
import { DAY, formatsOf } from '../../../../web/browser/format.ts'
import { pauseWords } from '../campaigns/pause-words.ts'
import { errorWords } from '../deliveries/words.ts'

const { count, dayOfYear, moment, phone, plural, time } = formatsOf()

/** Done where the problem stands, by members from this role on. */
export interface Act {
  readonly type: 'turnOn' | 'replay' | 'discard' | 'resume'
  readonly label: string
  /** For those who may not. */
  readonly others: string
}

export interface Told {
  /** What it is about: `crm`. Empty: the workspace. */
  readonly subject: string
  /** What is known of it, joined by commas in one sentence. */
  readonly facts: readonly string[]
  /** Why, or what to do; null: the facts say it all. */
  readonly hint: string | null
  /** A path below the workspace, and what the link says. */
  readonly open: { readonly path: string; readonly label: string }
  readonly acts: readonly Act[]
}

type Given<Kind extends AttentionKind> = Extract<Attention, { readonly kind: Kind }>
type Teller<Kind extends AttentionKind> = (
  problem: Given<Kind>,
  nowMs: number,
) => Omit<Told, 'subject'> & {
  readonly subject?: string
}

export function tell(problem: Attention, nowMs: number): Told {
  const teller = tellers[problem.kind] as Teller<AttentionKind>
  return { subject: problem.subject.name, ...teller(problem as never, nowMs) }
}

/** The server counts only up to this number. */
export const CAP = 10_000
export const capped = (value: number): string => (value >= CAP ? `${count(CAP)}+` : count(value))

/** The time alone where it was today. */
function at(iso: string, nowMs: number): string {
  const isToday = new Date(iso).toDateString() === new Date(nowMs).toDateString()
  return isToday ? time(iso) : moment(iso)
}

const since = ({ since: iso }: Attention, nowMs: number): string =>
  iso === null ? '' : ` since ${at(iso, nowMs)}`

/** Within a sentence; names that are written in capitals stay so. */
function wordsOf(code: string): string {
  const words = errorWords[code] ?? code.replaceAll('_', ' ').toLowerCase()
  return /^[A-Z]{2}/.test(words) ? words : words.charAt(0).toLowerCase() + words.slice(1)
}

function lastAnswer(last: AttentionFacts['ENDPOINT_OFF']['lastAttempt']): string[] {
  if (last === null) return []
  if (last.statusCode !== null) return [`last answer ${last.statusCode}`]
  return last.error === null ? [] : [`last attempt: ${wordsOf(last.error)}`]
}

const open = (path: string, label = 'Open') => ({ path, label })
const idOf = ({ subject }: Attention): string => subject.id ?? ''

const tellAccount: Teller<'ACCOUNT_STOPPED' | 'ACCOUNT_WARNING'> = ({ facts }, nowMs) => {
  const isOfTemplate = facts.topic.startsWith('TEMPLATE_')
  return {
    facts: [
      facts.message.replace(/\.$/, ''),
      ...(facts.until === null ? [] : [`until ${at(facts.until, nowMs)}`]),
    ],
    hint: facts.advice,
    open: isOfTemplate ? open('/templates', 'Templates') : open('/numbers', 'Numbers'),
    acts: [],
  }
}

const tellers: { readonly [Kind in AttentionKind]: Teller<Kind> } = {
  ACCOUNT_STOPPED: tellAccount as Teller<'ACCOUNT_STOPPED'>,
  ACCOUNT_WARNING: tellAccount as Teller<'ACCOUNT_WARNING'>,

  ENDPOINT_OFF(problem, nowMs) {
    const { byFailures, by, failures, lastAttempt, held } = problem.facts
    const why = byFailures ? ` after ${plural(failures, 'failure')} in a row` : ''
    const who = by === null ? '' : ` by ${by}`
    return {
      facts: [
        `off${since(problem, nowMs)}${why}${who}`,
        ...(byFailures ? lastAnswer(lastAttempt) : []),
        ...(held > 0 ? [`${capped(held)} held`] : []),
      ],
      hint: null,
      open: open(`/endpoints/${idOf(problem)}`),
      acts: [{ type: 'turnOn', label: 'Turn on', others: 'An admin can turn it on.' }],
    }
  },

  ENDPOINT_FAILING(problem, nowMs) {
    const { failures, limit, lastAttempt } = problem.facts
    const when = lastAttempt === null ? '' : `, at ${at(lastAttempt.at, nowMs)}`
    return {
      facts: [
        `failed ${count(failures)} times in a row`,
        ...lastAnswer(lastAttempt).map((answer) => `${answer}${when}`),
        `is turned off after ${count(limit)}`,
      ],
      hint: null,
      open: open(`/endpoints/${idOf(problem)}`),
      acts: [],
    }
  },

  DELIVERIES_HELD: (problem) => ({
    facts: [
      `on again, ${problem.facts.held === 1 ? '1 delivery is' : `${capped(problem.facts.held)} deliveries are`} still held`,
    ],
    hint: null,
    open: open(`/deliveries?endpointId=${idOf(problem)}&state=HELD`, 'Show'),
    acts: [
      {
        type: 'replay',
        label: problem.facts.held >= CAP ? 'Replay all' : `Replay ${count(problem.facts.held)}`,
        others: 'An admin can replay or discard them.',
      },
      { type: 'discard', label: 'Discard', others: '' },
    ],
  }),

  NUMBER_STOPPED: ({ subject, facts }) => ({
    subject: phone(subject.name),
    facts: [`the provider says that it is ${facts.status.replaceAll('_', ' ').toLowerCase()}`],
    hint: 'It may not be able to send until that is put right at the provider.',
    open: open('/numbers', 'Numbers'),
    acts: [],
  }),

  CALLS_LOST(problem, nowMs) {
    const { lost, calls, error, endpoint } = problem.facts
    const who = endpoint === null ? 'no endpoint' : endpoint.name
    return {
      subject: phone(problem.subject.name),
      facts: [
        `${endpoint === null ? who : `${who} does not`} ${endpoint === null ? 'takes' : 'take'} its calls`,
        calls === 1 ? 'the only one was lost' : `${count(lost)} of the latest ${count(calls)} were lost`,
        `the last at ${at(error.at, nowMs)}: ${error.message.replace(/\.$/, '')}`,
      ],
      hint: null,
      open: endpoint === null ? open('/numbers', 'Numbers') : open(`/endpoints/${endpoint.id}`),
      acts: [],
    }
  },

  NO_DEFAULT_NUMBER: () => ({
    facts: ['No number is the default sender', 'messages that name none are refused'],
    hint: null,
    open: open('/numbers', 'Choose one'),
    acts: [],
  }),

  CAMPAIGN_PAUSED(problem, nowMs) {
    const { reason, error, pending } = problem.facts
    return {
      facts: [
        `paused by itself${since(problem, nowMs)}`,
        ...(pending === 0 ? [] : [plural(pending, 'recipient waits', 'recipients wait')]),
      ],
      hint: `${pauseWords[reason].why}${error === null ? '' : ` ${error.title} (${error.code}).`} ${pauseWords[reason].next}`,
      open: open(`/campaigns/${idOf(problem)}`),
      acts: [{ type: 'resume', label: 'Continue', others: 'An admin can continue it.' }],
    }
  },

  TEMPLATE_STOPPED(problem, nowMs) {
    const { language, status, reason } = problem.facts
    return {
      subject: `${problem.subject.name} (${language})`,
      facts: [
        `${status.toLowerCase()} by the provider${since(problem, nowMs)}`,
        ...(reason === null || reason === 'NONE' ? [] : [reason.replaceAll('_', ' ').toLowerCase()]),
        'cannot be sent',
      ],
      hint: null,
      open: open(`/templates/${idOf(problem)}`),
      acts: [],
    }
  },

  KEY_EXPIRING(problem, nowMs) {
    const { expiresAt, lastUsedAt } = problem.facts
    const days = Math.floor((Date.parse(expiresAt) - nowMs) / DAY)
    const isOver = Date.parse(expiresAt) <= nowMs
    const left = days === 0 ? 'within a day' : `in ${plural(days, 'day')}`
    return {
      facts: [
        isOver
          ? `API key expired on ${dayOfYear(expiresAt)}`
          : `API key expires ${left}, on ${dayOfYear(expiresAt)}`,
        lastUsedAt === null ? 'never used' : `last used ${at(lastUsedAt, nowMs)}`,
      ],
      hint: isOver ? 'Requests with it are refused.' : null,
      open: open('/keys', 'API keys'),
      acts: [],
    }
  },

  CAMPAIGN_UNKNOWN: (problem) => ({
    facts: [
      `nobody knows whether ${plural(problem.facts.unknown, 'recipient', 'recipients')} got the message`,
    ],
    hint: null,
    open: open(`/campaigns/${idOf(problem)}`, 'Decide'),
    acts: [],
  }),

  NUMBER_UNROUTED: ({ subject }) => ({
    subject: phone(subject.name),
    facts: ['no endpoint gets what people write to it'],
    hint: null,
    open: open('/numbers', 'Set up'),
    acts: [],
  }),

  NOT_UNDERSTOOD: (problem, nowMs) => ({
    facts: [
      `${plural(problem.facts.count, 'event')} of the provider ${problem.facts.count === 1 ? 'was' : 'were'} not understood in the last 24 hours`,
      ...(problem.since === null ? [] : [`the last at ${at(problem.since, nowMs)}`]),
    ],
    hint: null,
    open: open('/inbound', 'Show'),
    acts: [],
  }),
}
