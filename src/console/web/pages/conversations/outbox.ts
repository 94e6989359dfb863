// Replies on their way. One that failed stays, to be tried again with the same idempotency key: it reaches the customer
// once, whatever became of the first try.
import { signal } from '@preact/signals'
import { api, inWorkspace, toApiError } from '../../core/api.ts'
import { readKept, writeKept } from '../../core/kept.ts'
import { randomText } from '../../core/random-text.ts'
import { type Body, bodiesOf, type Draft } from './draft.ts'
import { changeDraft } from './drafts.ts'
import { isHeldUp, nextToSend, triedAgain } from './sending-order.ts'

export interface Outgoing {
  readonly id: string
  readonly conversationId: string
  readonly path: string
  readonly at: string
  readonly text: string
  readonly fileNames: readonly string[]
  /** Not yet sent, each with its idempotency key. */
  readonly bodies: readonly Body[]
  /** Of the last message: once that is in the thread, all of them are. */
  readonly lastKey: string
  /** Why the last try failed. */
  readonly problem?: string
}

const KEPT = 'outbox'
const LEFT = 'The page was left before it was known whether this was sent.'
const outgoing = signal<readonly Outgoing[]>([])
let isRead = false

function all(): readonly Outgoing[] {
  if (!isRead) {
    isRead = true
    const kept = readKept<readonly Outgoing[]>(KEPT) ?? []
    outgoing.value = kept.map((one) => ({ ...one, problem: one.problem ?? LEFT }))
  }
  return outgoing.value
}

function change(next: readonly Outgoing[]): void {
  outgoing.value = next
  writeKept(
    KEPT,
    next.filter(({ bodies }) => bodies.length > 0),
  )
}

export const outgoingOf = (conversationId: string): readonly Outgoing[] =>
  all().filter((one) => one.conversationId === conversationId)

export const forget = (ids: readonly string[]): void => change(all().filter(({ id }) => !ids.includes(id)))

/** Takes the draft over: the box is free for the next reply. */
export function sendDraft(conversationId: string, draft: Draft): void {
  const bodies = bodiesOf(draft).map((body) => ({ ...body, idempotencyKey: `console-${randomText()}` }))
  const one: Outgoing = {
    ...{ id: randomText(), conversationId, path: inWorkspace(`/conversations/${conversationId}/reply`) },
    ...{ at: new Date().toISOString(), text: draft.text.trim() },
    fileNames: draft.files.map(({ name }) => name),
    ...{ bodies, lastKey: bodies.at(-1)?.idempotencyKey ?? '' },
  }
  changeDraft(conversationId, () => ({ text: '', files: [] }))
  change([...all(), one])
  void deliverAll(conversationId)
}

export function tryAgain(one: Outgoing): void {
  change(triedAgain(all(), one))
  void deliverAll(one.conversationId)
}

export function discard({ id, conversationId }: Outgoing): void {
  forget([id])
  void deliverAll(conversationId)
}

/** Whether it waits for one before it that has failed. */
export const isWaiting = (one: Outgoing): boolean => isHeldUp(all(), one)

/** The conversations whose replies are being sent. */
const busy = new Set<string>()

async function deliverAll(conversationId: string): Promise<void> {
  if (busy.has(conversationId)) return
  busy.add(conversationId)
  for (let one = nextToSend(all(), conversationId); one; one = nextToSend(all(), conversationId))
    await deliver(one.id)
  busy.delete(conversationId)
}

async function deliver(id: string): Promise<void> {
  const update = (changes: Partial<Outgoing>) =>
    change(all().map((one) => (one.id === id ? { ...one, ...changes } : one)))
  for (let one = find(id); one?.bodies[0]; one = find(id)) {
    try {
      await api.post(one.path, one.bodies[0])
    } catch (failure) {
      update({ problem: toApiError(failure).message })
      return
    }
    update({ bodies: one.bodies.slice(1) })
  }
}

const find = (id: string) => all().find((one) => one.id === id)
