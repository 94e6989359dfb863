// A child process of the bench, such as the generator, the receiver or the floor. It answers questions over
// the IPC channel of Node and exits when the channel closes.
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Closing } from './closing.ts'

export interface Asker<Protocol extends Questions<Protocol>> {
  ask<Name extends keyof Protocol & string>(
    name: Name,
    question: Protocol[Name]['question'],
  ): Promise<Protocol[Name]['answer']>
}

export interface Part<Protocol extends Questions<Protocol>> extends Asker<Protocol> {
  readonly pid: number
  stop(): Promise<void>
}

/** The questions of a part and their answers, by name. */
export type Questions<Protocol> = Record<keyof Protocol, { question: unknown; answer: unknown }>

type Answered = { id: number; answer: unknown } | { id: number; error: string }

async function startPart<Protocol extends Questions<Protocol>>(
  script: string,
  env: NodeJS.ProcessEnv = {},
): Promise<Part<Protocol>> {
  const child = fork(fileURLToPath(new URL(`../${script}`, import.meta.url)), [], {
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
    env: { ...process.env, ...env },
  })
  const waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>()
  const ended = whenEnded(child)
  void ended.then((why) => {
    for (const { reject } of waiting.values()) reject(new Error(`${script} ended: ${why}`))
    waiting.clear()
  })
  child.on('message', (message: Answered) => {
    const asked = waiting.get(message.id)
    waiting.delete(message.id)
    if ('error' in message) asked?.reject(new Error(`${script}: ${message.error}`))
    else asked?.resolve(message.answer)
  })
  let last = 0
  return {
    pid: child.pid ?? 0,
    ask(name, question) {
      last += 1
      const id = last
      return new Promise((resolve, reject) => {
        waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject })
        child.send({ id, name, question }, (error) => error && reject(error))
      })
    },
    async stop() {
      if (child.connected) child.disconnect()
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await ended
      clearTimeout(timer)
    },
  }
}

/** A part that is stopped with what is on `closing`. */
export async function openPart<Protocol extends Questions<Protocol>>(
  script: string,
  closing: Closing,
  env: NodeJS.ProcessEnv = {},
): Promise<Part<Protocol>> {
  const started = await startPart<Protocol>(script, env)
  closing.push(() => started.stop())
  return started
}

const whenEnded = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
    child.once('error', (error) => resolve(String(error)))
  })

/** The child's side: answers the parent's questions and exits when the parent disconnects. */
export function serve<Protocol extends Questions<Protocol>>(
  handlers: {
    readonly [Name in keyof Protocol]: (
      question: Protocol[Name]['question'],
    ) => Promise<Protocol[Name]['answer']> | Protocol[Name]['answer']
  },
): void {
  // A parent that is gone needs no answer.
  const reply = (message: Answered) => void process.send?.(message, undefined, undefined, () => undefined)
  process.on('message', (message: { id: number; name: keyof Protocol; question: never }) => {
    const { id, name, question } = message
    Promise.resolve()
      .then(() => handlers[name](question))
      .then(
        (answer) => reply({ id, answer }),
        (error: unknown) => reply({ id, error: String(error) }),
      )
  })
  process.once('disconnect', () => process.exit(0))
}
