// A workspace with both kinds of receivers: an HTTPS endpoint and a socket endpoint, both for every event.

import { setTimeout as sleep } from 'node:timers/promises'
import { eventKinds } from '../../src/contract/events.ts'
import { type TestContext, test } from '../support/harness.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import type { Json } from './clients.ts'
import type { Fits, Received } from './inbox.ts'
import {
  type HttpsReceiver,
  type SocketReceiver,
  startHttpsReceiver,
  startSocketReceiver,
} from './receivers.ts'
import { type Stack, type StackOptions, startStack } from './stack.ts'

export interface Scene {
  readonly stack: Stack
  readonly https: HttpsReceiver
  readonly socket: SocketReceiver
  readonly httpsEndpoint: Json
  readonly socketEndpoint: Json
  close(): Promise<unknown>
}

export async function openScene(options: StackOptions = {}): Promise<Scene> {
  const stack = await startStack(options)
  const opened: { close(): void }[] = []
  const close = () => stack.stop().finally(() => opened.map((receiver) => receiver.close()))
  try {
    return { ...(await receivers(stack, opened)), stack, close }
  } catch (error) {
    await close().catch(() => undefined)
    throw error
  }
}

async function receivers(stack: Stack, opened: { close(): void }[]): Promise<Omit<Scene, 'stack' | 'close'>> {
  const https = await startHttpsReceiver(stack.tls)
  opened.push(https)
  const socket = await startSocketReceiver(stack.tls)
  opened.push(socket)
  const httpsEndpoint = await stack.addEndpoint({ name: 'https', url: https.url, events: eventKinds })
  const socketEndpoint = await stack.addEndpoint({ name: 'socket', url: socket.url, events: eventKinds })
  https.secret = httpsEndpoint.secret
  socket.secret = socketEndpoint.secret
  return { https, socket, httpsEndpoint, socketEndpoint }
}

/** A test that prints the logs of all processes when it fails. */
export function scenario(title: string, stack: () => Stack, work: (t: TestContext) => Promise<void>): void {
  void test(title, async (t) => {
    try {
      await work(t)
    } catch (error) {
      for (const line of stack().logs().split('\n')) t.diagnostic(line)
      throw error
    }
  })
}

/** Steps of one story: tests that run in order, each on the stack as it is at that moment. */
export const stepsOf =
  (stack: () => Stack) =>
  (title: string, work: () => Promise<unknown>): void =>
    scenario(title, stack, async () => void (await work()))

/** Waits for the same event at both receivers. */
export async function atBoth(
  { https, socket }: Scene,
  what: string,
  fits: Fits,
): Promise<{ post: Received; frame: Received }> {
  const [post, frame] = await Promise.all([https.inbox.first(what, fits), socket.inbox.first(what, fits)])
  return { post, frame }
}

/** Polls until the condition is true, for changes that no event announces. */
export async function eventually(
  what: string,
  isTrue: () => Promise<boolean>,
  withinMs = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + withinMs
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`${what}: it never came to be`)
    await sleep(50)
  }
}
