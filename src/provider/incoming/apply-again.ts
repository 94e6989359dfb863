// Applies kept elements again, after an upgrade that understands more. Each goes as a webhook of its own to a running
// gateway, signed as the provider signs: so it is read and applied as any other, once.
import type { InboundElements, OpenElement } from '../../platform/postgres/inbound-elements.store.ts'
import { idTimeMs } from '../../shared/ids.ts'
import { record } from './fields.ts'
import { isSdpMarker, subjectOf } from './kept-elements.ts'
import { parseWebhook } from './parse.ts'

/** In the signed body, beside what the provider writes: when the element arrived first. It is not kept again. */
const mark = 'switchboard_kept_at'

export function keptAtOf(payload: unknown): Date | undefined {
  const at = record(payload)[mark]
  return typeof at === 'number' && Number.isSafeInteger(at) ? new Date(at) : undefined
}

export interface ApplyAgainOptions {
  readonly store: Pick<InboundElements, 'open' | 'markApplied' | 'setReason'>
  /**
   * Posts the body, signed, to a gateway. Returns the answer's body. Throws ElementFailed where the gateway could not
   * apply this one; whatever else it throws ends the run.
   */
  readonly post: (body: string) => Promise<string>
  readonly filter: Parameters<InboundElements['open']>[0]
  /** Only counts what this version understands. */
  readonly isDryRun: boolean
  /** Ends the run after the element under way. */
  readonly signal?: AbortSignal
}

export class ElementFailed extends Error {}

export interface AppliedAgain {
  /** By reason as kept: how many there are, and how many of them this version understands. */
  readonly found: ReadonlyMap<string, { readonly all: number; readonly understood: number }>
  readonly applied: number
  /** Understood, but nothing was made of it, by the present reason. */
  readonly left: ReadonlyMap<string, number>
  /** By what the gateway said. They stay as they are. */
  readonly failed: ReadonlyMap<string, number>
}

const atOnce = 200

export async function applyAgain(options: ApplyAgainOptions): Promise<AppliedAgain> {
  const { store, filter } = options
  const found = new Map<string, { all: number; understood: number }>()
  const [left, failed] = [new Map<string, number>(), new Map<string, number>()]
  let applied = 0
  for await (const kept of openElements(store, filter)) {
    if (options.signal?.aborted) break
    const outcome = await applyOne(options, kept)
    const counts = found.get(kept.reason) ?? { all: 0, understood: 0 }
    found.set(kept.reason, counts)
    counts.all += 1
    if (outcome !== 'notUnderstood') counts.understood += 1
    if (outcome === 'applied') applied += 1
    else if (outcome instanceof ElementFailed) count(failed, outcome.message)
    else if (!aside.has(outcome)) count(left, outcome)
  }
  return { found, left, failed, applied }
}

const count = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)

/** The oldest first. */
async function* openElements(
  store: ApplyAgainOptions['store'],
  filter: ApplyAgainOptions['filter'],
): AsyncGenerator<OpenElement> {
  for (let { from } = filter, isMore = true; isMore; ) {
    const page = await store.open({ ...filter, from }, atOnce + 1)
    yield* page.slice(0, atOnce)
    isMore = page.length > atOnce
    from = page[atOnce]?.id ?? from
  }
}

const aside = new Set(['notUnderstood', 'notTried'])

/** The outcome, `notUnderstood`, `notTried` in a dry run, or how it failed. */
async function applyOne(
  { store, post, isDryRun }: ApplyAgainOptions,
  kept: OpenElement,
): Promise<string | ElementFailed> {
  const webhook = webhookOf(kept)
  const read = webhook && understood(webhook)
  if (webhook === undefined || read === undefined) return 'notUnderstood'
  if (isDryRun) return 'notTried'
  const answer = await post(JSON.stringify(webhook)).catch(failureIn)
  if (answer instanceof ElementFailed) return answer
  const outcome = outcomeIn(answer)
  if (outcome === 'applied') await store.markApplied(kept.id, read.subject)
  else await store.setReason(kept.id, outcome)
  return outcome
}

function failureIn(error: unknown): ElementFailed {
  if (error instanceof ElementFailed) return error
  throw error
}

type Webhook = Readonly<Record<string, unknown>>

/** Undefined where it cannot be read: it is no JSON, or only its beginning was kept. */
function webhookOf({ id, wabaId, entryAt, body, fullBytes }: OpenElement): Webhook | undefined {
  if (fullBytes !== null) return undefined
  const kept = parseJson(body)
  const given = record(kept)
  const at = { [mark]: idTimeMs(id) }
  if ('field' in given)
    return {
      ...{ object: 'whatsapp_business_account', ...at },
      // Else an old status would count from its arrival, and could undo a newer one.
      entry: [{ id: wabaId ?? '', changes: [given], ...(entryAt && { time: entryAt.getTime() / 1_000 }) }],
    }
  return 'object' in given ? { ...given, ...at } : undefined
}

/** What was cut out of a call is no offer: a call that is applied so late is over, and rings nobody. */
const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body, (name, value: unknown) =>
      name === 'session' && isSdpMarker(record(value)['sdp']) ? null : value,
    )
  } catch {
    return undefined
  }
}

/** Undefined unless this version understands every element of it. */
function understood(webhook: Webhook) {
  const { elements } = parseWebhook(webhook, keptAtOf(webhook) ?? new Date())
  const [first] = elements
  if (first === undefined || elements.some(({ element }) => element.type === 'skipped')) return undefined
  return { subject: elements.length === 1 ? subjectOf(first.element) : undefined }
}

/** The outcome; of several the first that is not `applied`. Throws where the gateway does not know the question. */
function outcomeIn(answer: string): string {
  const { outcomes } = record(parseJson(answer))
  if (!Array.isArray(outcomes) || outcomes.length === 0)
    throw new Error('the gateway does not say what became of it: is it of this version?')
  return outcomes.map(String).find((outcome) => outcome !== 'applied') ?? 'applied'
}
