// Replies on their way. One that failed stays, to be tried again with the same idempotency key: it reaches the customer
// once, whatever became of the first try.
import { api, inWorkspace, toApiError } from '../../core/api.ts'
import { createOwn } from '../../core/kept.ts'
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

const LEFT = 'The page was left before it was known whether this was sent.'
const outbox = createOwn<readonly Outgoing[]>('outbox', {
  empty: [],
  read: (kept) => kept.map((one) => ({ ...one, problem: one.problem ?? LEFT })),
  write: (all) => all.filter(({ bodies }) => bodies.length > 0),
})

export const outgoingOf = (conversationId: string): readonly Outgoing[] =>
  outbox.get().filter((one) => one.conversationId === conversationId)

export const forget = (ids: readonly string[]): void =>
  outbox.set(outbox.get().filter(({ id }) => !ids.includes(id)))

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
  outbox.set([...outbox.get(), one])
  void deliverAll(conversationId)
}

export function tryAgain(one: Outgoing): void {
  outbox.set(triedAgain(outbox.get(), one))
  void deliverAll(one.conversationId)
}

export function discard({ id, conversationId }: Outgoing): void {
  forget([id])
  void deliverAll(conversationId)
}

/** Whether it waits for one before it that has failed. */
export const isWaiting = (one: Outgoing): boolean => isHeldUp(outbox.get(), one)

/** The conversations whose replies are being sent. */
const busy = new Set<string>()

async function deliverAll(conversationId: string): Promise<void> {
  if (busy.has(conversationId)) return
  busy.add(conversationId)
  for (
    let one = nextToSend(outbox.get(), conversationId);
    one;
    one = nextToSend(outbox.get(), conversationId)
  )
    await deliver(one.id)
  busy.delete(conversationId)
}

async function deliver(id: string): Promise<void> {
  const update = (changes: Partial<Outgoing>) =>
    outbox.set(outbox.get().map((one) => (one.id === id ? { ...one, ...changes } : one)))
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

const find = (id: string) => outbox.get().find((one) => one.id === id)
