// The SDP of live calls, for the owner that takes over. Besides the owner's memory it is the only place where SDP lives.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { CallSessions } from '../calls/ports.ts'
import type { SessionDescription } from '../contract/events.ts'
import { withDeadline } from '../shared/deadline.ts'

/** What this needs of a client: node-redis has it. */
export interface RedisCommands {
  sendCommand(args: string[]): Promise<unknown>
}

const ttlMs = 180_000
const patienceMs = 750

const script = (name: string) => {
  const text = readFileSync(new URL(`./scripts/${name}.lua`, import.meta.url), 'utf8')
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

const keepScript = script('call-keep')
const dropScript = script('call-drop')

const keyOf = (id: string): string => `gw:call:${id}`

export function createCallSessions(redis: RedisCommands): CallSessions {
  const send = (args: string[]) => withDeadline(redis.sendCommand(args), patienceMs, 'redis')

  async function run({ text, sha }: typeof keepScript, id: string, args: string[]): Promise<void> {
    const rest = ['1', keyOf(id), ...args]
    await send(['EVALSHA', sha, ...rest]).catch((error: unknown) => {
      // After a restart the server has forgotten its scripts.
      if (error instanceof Error && error.message.startsWith('NOSCRIPT')) return send(['EVAL', text, ...rest])
      throw error
    })
  }

  return {
    keep: (id, epoch, { session, ownSdp }) =>
      run(keepScript, id, [
        ...[String(epoch), String(ttlMs), 'sdpType', session?.sdpType ?? ''],
        ...['sdp', session?.sdp ?? '', 'own', ownSdp ?? ''],
      ]),
    drop: (id, epoch) => run(dropScript, id, [String(epoch), String(ttlMs)]),
    async read(id) {
      const answer = await send(['HMGET', keyOf(id), 'sdpType', 'sdp', 'own'])
      const [sdpType, sdp, own] = (Array.isArray(answer) ? answer : []).map((value) => value ?? null)
      const session = sdpType && sdp ? { sdpType, sdp } : null
      return { session: session as SessionDescription | null, ownSdp: (own as string | null) ?? null }
    },
  }
}
