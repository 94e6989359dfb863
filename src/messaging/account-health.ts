// Applies what the provider reports about accounts: in webhooks, in changes of templates, and in errors of sends.
import { createHash } from 'node:crypto'
import {
  type AccountChange,
  type AccountUpdate,
  isSameLimit,
  messagingLimitOf,
} from '../contract/account-health.ts'
import type { Dispatch, WrittenDelivery } from '../contract/dispatch.ts'
import type { TemplateCategoryUpdate, TemplateStatusUpdate } from '../contract/provider-updates.ts'
import type { GivenFailure } from '../contract/records/failure.ts'
import type { Clock } from '../shared/clock.ts'
import type { WorkspaceId } from '../shared/ids.ts'
import type { Log } from '../shared/log.ts'
import { Lru } from '../shared/lru.ts'
import { storableStart } from '../shared/storable-text.ts'

type Of = { readonly wabaId: string } | { readonly workspaceId: WorkspaceId }

export interface AccountHealthPorts {
  /** Undefined when no workspace has the account. */
  readonly apply: (report: {
    readonly of: Of
    readonly at: Date
    readonly digest: string
    readonly changes: readonly AccountChange[]
    readonly isQuiet?: boolean
  }) => Promise<readonly WrittenDelivery[] | undefined>
  /** The provider's word for the messaging limit, as it is stored. */
  readonly limitOf: (workspaceId: WorkspaceId) => Promise<string | null>
  readonly dispatch: Dispatch
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
}

export interface AccountHealth {
  /** False when no workspace has the account. */
  applyUpdate(update: AccountUpdate): Promise<boolean>
  /** A template of ours has changed its status or category. */
  templateChanged(update: TemplateStatusUpdate | TemplateCategoryUpdate): Promise<boolean>
  /** The messaging limit, as the provider told it with the numbers. */
  limitRead(workspaceId: WorkspaceId, word: string, at: Date): Promise<void>
  /** Looks for problems of the account in the error of a send. `at`: when it failed; default now. Returns at once. */
  sendFailed(workspaceId: WorkspaceId, error: GivenFailure, at?: Date): void
}

export function createAccountHealth({
  apply,
  limitOf,
  dispatch,
  clock,
  log,
}: AccountHealthPorts): AccountHealth {
  const told = new Lru<number>(1_000)

  async function report(
    { of, at, digest }: { readonly of: Of; readonly at: Date; readonly digest: string },
    changes: readonly AccountChange[],
    isQuiet = false,
  ): Promise<boolean> {
    const stated = onceEach(changes.map((one) => ({ ...one, key: storableStart(one.key, 600) })))
    const written = await apply({ of, at, digest, changes: stated, isQuiet })
    if (written === undefined) return false
    dispatch(written)
    for (const { topic, status, severity } of stated)
      log[severity === 'INFO' ? 'info' : 'warn']({ ...of, topic, status, severity }, 'account.updated')
    return true
  }

  return {
    applyUpdate: ({ wabaId, at, digest, changes }) => report({ of: { wabaId }, at, digest }, changes),

    async templateChanged(update) {
      const { type, wabaId, name, language, at } = update
      const change = type === 'templateStatus' ? statusChange(update) : categoryChange(update)
      const digest = createHash('sha256').update(
        JSON.stringify([wabaId, type, name, language, at, change.status]),
      )
      return report({ of: { wabaId }, at, digest: digest.digest('hex') }, [change])
    },

    async limitRead(workspaceId, word, at) {
      const before = await limitOf(workspaceId)
      if (before !== null && isSameLimit(before, word)) return
      const customers = messagingLimitOf(word)
      const change = { ...plain, topic: 'MESSAGING_LIMIT', status: word, details: { customers } } as const
      const message = `New customers in 24 hours: ${customers?.toLocaleString('en') ?? word.toLowerCase()}.`
      const digest = createHash('sha256').update(JSON.stringify([workspaceId, word, at]))
      // The first reading is no change.
      const isQuiet = before === null
      await report(
        { of: { workspaceId }, at, digest: digest.digest('hex') },
        [{ ...change, message }],
        isQuiet,
      )
    },

    sendFailed(workspaceId, error, failedAt) {
      if (!paymentCodes.includes(error.code)) return
      const nowMs = clock.now()
      const atMs = Math.min(failedAt?.getTime() ?? nowMs, nowMs)
      // A status may come days late, when the problem is mended.
      if (nowMs - atMs >= paymentLastsMs) return
      if (atMs - (told.get(workspaceId) ?? Number.NEGATIVE_INFINITY) < tellEveryMs) return
      told.set(workspaceId, atMs)
      const at = new Date(atMs)
      // One for all repeats of a status.
      const digest = createHash('sha256').update(JSON.stringify([workspaceId, 'PAYMENT', error.code, at]))
      report({ of: { workspaceId }, at, digest: digest.digest('hex') }, [paymentChange(error, at)]).catch(
        (problem: unknown) => log.warn({ workspaceId, error: String(problem) }, 'account.not_updated'),
      )
    },
  }
}

/** A matter has one state. Of several of one report, that which lasts longest. */
function onceEach(changes: readonly AccountChange[]): AccountChange[] {
  const found = new Map<string, AccountChange>()
  for (const change of changes) {
    const matter = JSON.stringify([change.topic, change.key])
    const other = found.get(matter)
    if (other === undefined || endOf(other) < endOf(change)) found.set(matter, change)
  }
  return [...found.values()]
}

const endOf = ({ until }: AccountChange): number => until?.getTime() ?? Number.POSITIVE_INFINITY

const paymentCodes = ['131042', '131044']
const tellEveryMs = 60_000
/** A problem that no send has met for this long is taken for mended. */
const paymentLastsMs = 86_400_000

const plain = {
  ...{ key: '', number: null, template: null, advice: null, until: null, stops: [], details: {} },
  severity: 'INFO',
} as const

const paymentChange = ({ code, title, details }: GivenFailure, at: Date): AccountChange => ({
  ...plain,
  ...{
    topic: 'PAYMENT',
    status: code,
    severity: 'CRITICAL',
    details: { code, title, details: details ?? null },
  },
  message: `The provider has a problem with the payment: ${title}.`,
  advice: 'Put the payment method of the account in order at the provider, then resume what has paused.',
  until: new Date(at.getTime() + paymentLastsMs),
})

const named = ({ name, language }: { readonly name: string; readonly language: string }) => ({
  key: `${name} ${language}`,
  template: { name, language },
})

/** MARKETING becomes marketing. */
const inWords = (word: string): string => word.replaceAll('_', ' ').toLowerCase()

function statusChange(update: TemplateStatusUpdate): AccountChange {
  const { name, language, status, reason } = update
  const isStopped = ['PAUSED', 'DISABLED', 'REJECTED'].includes(status)
  return {
    ...plain,
    ...named(update),
    ...{ topic: 'TEMPLATE_STATUS', status, severity: isStopped ? 'WARNING' : 'INFO', details: { reason } },
    message: `Template ${name} (${language}) is ${status.toLowerCase()}${reason === null ? '' : `: ${reason}`}.`,
    advice: isStopped ? 'Campaigns with it pause. Change it, or use another template.' : null,
  }
}

function categoryChange(update: TemplateCategoryUpdate): AccountChange {
  const { name, language, category, previousCategory, nextCategory, changesAt } = update
  const isComing = nextCategory !== null && nextCategory !== category
  return {
    ...plain,
    ...named(update),
    ...{ topic: 'TEMPLATE_CATEGORY', status: isComing ? 'IMPENDING' : 'CHANGED' },
    severity: isComing ? 'WARNING' : 'INFO',
    message: isComing
      ? `The category of template ${name} (${language}) will change from ${inWords(category)} to ${inWords(nextCategory)}.`
      : `The category of template ${name} (${language}) is ${inWords(category)} now.`,
    advice: isComing ? 'Its price changes with it.' : null,
    until: isComing ? changesAt : null,
    details: { category, previousCategory, nextCategory, changesAt: changesAt?.toISOString() ?? null },
  }
}
