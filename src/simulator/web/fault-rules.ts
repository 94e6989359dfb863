// Changes the faults. The simulator replaces all faults at once, so a change also sends the unchanged ones.
import type { FaultRule, FaultsView, WebhookRule } from '../views.ts'
import { control } from './control.ts'
import { faults } from './live.ts'

const quietWebhooks: WebhookRule = {
  ...{ repeat: 0, reorderMs: 0, delayMs: 0, batch: 1, silent: false, failFirst: 0 },
}

/** Runs a change. The panel shows its error. */
export type Doing = (work: Promise<unknown>) => Promise<void>

export interface Effect {
  readonly says: string
  readonly hits?: number
  remove(): Promise<unknown>
}

const send = (api: readonly FaultRule[], webhooks: WebhookRule) =>
  control('PUT', 'faults', { api: api.map(bare), webhooks })

const bare = (rule: FaultRule & { hits?: number }): FaultRule => {
  const { hits: _, ...rest } = rule
  return rest
}

const current = (): Pick<FaultsView, 'api' | 'webhooks'> =>
  faults.peek() ?? { api: [], webhooks: quietWebhooks }

/** Adds a rule. It replaces an active rule with the same effect, whose counts start again. */
export function addRule(rule: FaultRule): Promise<unknown> {
  const others = current().api.filter((one) => effectOf(one) !== effectOf(rule))
  return send([...others, rule], current().webhooks)
}

const effectOf = (rule: FaultRule): string =>
  JSON.stringify(Object.entries({ ...bare(rule), times: undefined }).sort())

const removeRule = (index: number): Promise<unknown> =>
  send(
    current().api.filter((_, place) => place !== index),
    current().webhooks,
  )

export const changeWebhooks = (change: Partial<WebhookRule>): Promise<unknown> =>
  send(current().api, { ...current().webhooks, ...change })

export const clearFaults = (): Promise<unknown> => send([], quietWebhooks)

/** The active faults as text. */
export function inForce(view: FaultsView | undefined): readonly Effect[] {
  if (view === undefined) return []
  const rules = view.api.map((rule, index) => ({
    says: `${subject(rule)} ${effect(rule)}${limits(rule)}`,
    hits: rule.hits,
    remove: () => removeRule(index),
  }))
  return [...rules, ...webhookEffects(view.webhooks)]
}

const subjects: Readonly<Record<string, string>> = {
  '*': 'requests',
  messages: 'messages',
  calls: 'call actions',
  media: 'uploads',
  download: 'downloads',
  node: 'lookups',
}

function subject({ match, action, to }: FaultRule): string {
  const what = subjects[match] ?? match
  const acting = action === undefined ? '' : ` (${action})`
  return to === undefined ? `${what}${acting}` : `${what}${acting} to numbers in ${to}`
}

function effect({ delayMs, status, code, dropConnection, hang }: FaultRule): string {
  const late = delayMs === undefined ? '' : `wait ${delayMs} ms`
  const end = ending()
  return [late, end].filter(Boolean).join(', then ') || 'are answered'
  function ending(): string {
    if (hang) return 'are never answered'
    if (dropConnection === 'before') return 'lose their connection before they take effect'
    if (dropConnection === 'after') return 'lose their connection after they took effect'
    if (code !== undefined) return `fail with ${code}`
    return status === undefined ? '' : `fail with HTTP ${status}`
  }
}

const limits = ({ abovePerSecond, times }: FaultRule): string =>
  [
    abovePerSecond === undefined ? '' : ` above ${abovePerSecond} a second`,
    times === undefined ? '' : ` (${times} left)`,
  ].join('')

function webhookEffects(rule: WebhookRule): Effect[] {
  const what = rule.only === undefined ? 'webhooks' : `webhooks (${rule.only.join(', ')})`
  const effects: (Effect & { readonly isOn: boolean })[] = [
    { isOn: rule.silent, says: `${what} are not sent`, remove: () => changeWebhooks({ silent: false }) },
    {
      isOn: rule.repeat > 0,
      says: `${what} come ${rule.repeat + 1} times`,
      remove: () => changeWebhooks({ repeat: 0 }),
    },
    {
      isOn: rule.reorderMs > 0,
      says: `${what} are shuffled within ${rule.reorderMs} ms`,
      remove: () => changeWebhooks({ reorderMs: 0 }),
    },
    {
      isOn: rule.delayMs > 0,
      says: `${what} are ${rule.delayMs} ms late`,
      remove: () => changeWebhooks({ delayMs: 0 }),
    },
    {
      isOn: rule.failFirst > 0,
      says: `the first ${rule.failFirst} answers to each webhook are ignored`,
      remove: () => changeWebhooks({ failFirst: 0 }),
    },
    {
      isOn: rule.batch > 1,
      says: `up to ${rule.batch} updates travel in one webhook`,
      remove: () => changeWebhooks({ batch: 1 }),
    },
  ]
  return effects.filter(({ isOn }) => isOn)
}
