// Replies on their way. One that failed stays, to be tried again with the same idempotency key: it reaches the customer
// once, whatever became of the first try.
import { signal } from '@preact/signals'
import type { ThreadEntry } from '../../../../contract/records/console.ts'
import { api, inWorkspace, toApiError } from '../../core/api.ts'
import { readKept, writeKept } from '../../core/kept.ts'
import { randomText } from '../../core/random-text.ts'
import { changeDraft, type Draft } from './drafts.ts'
import { fileKind } from './files.ts'

type Body = Readonly<Record<string, unknown>>

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

/** Those that are not among the messages of the thread: an answer may be lost, and the message there. */
export function notIn(entries: readonly ThreadEntry[], all: readonly Outgoing[]): readonly Outgoing[] {
  const arrived = new Set(
    entries.map((entry) => entry.kind === 'message' && entry.message.caller?.idempotencyKey),
  )
  return all.filter(({ lastKey }) => !arrived.has(lastKey))
}

export const forget = (ids: readonly string[]): void => change(all().filter(({ id }) => !ids.includes(id)))

/**
 * One message a file. A text is the caption of the first, where that kind of file has one; else it follows as a message
 * of its own.
 */
export function bodiesOf({ text, files, quoted }: Draft): Body[] {
  const said = text.trim()
  const replyTo = quoted && { replyTo: quoted.id }
  const uploads = files.flatMap(({ upload }) => upload ?? [])
  const captions = said !== '' && said.length <= 1_024
  const captioned = uploads.findIndex(({ mimeType }) => captions && takesCaption(mimeType))
  const media = uploads.map(({ id, mimeType }, index) => ({
    media: { kind: fileKind(mimeType), id, ...(index === captioned && { caption: said }) },
    ...(index === 0 && replyTo),
  }))
  if (said === '' || captioned >= 0) return media
  return [...media, { text: { body: said }, ...(media.length === 0 && replyTo) }]
}

const takesCaption = (mimeType: string): boolean => !['audio', 'sticker'].includes(fileKind(mimeType))

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
  void inTurn(conversationId, () => deliver(one.id))
}

export function tryAgain(one: Outgoing): void {
  const { problem: _, ...again } = one
  change(all().map((each) => (each.id === one.id ? again : each)))
  void inTurn(one.conversationId, () => deliver(one.id))
}

/** Replies of a conversation are sent in the order in which they were written. */
const turns = new Map<string, Promise<void>>()

function inTurn(conversationId: string, work: () => Promise<void>): Promise<void> {
  const turn = (turns.get(conversationId) ?? Promise.resolve()).then(work)
  turns.set(conversationId, turn)
  return turn
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
