// The SDP of live calls, for the owner that takes over. Besides the owner's memory it is the only place where SDP lives.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { CallSessions } from '../calls/ports.ts'
import { bounded, type Redis } from './client.ts'
import { keys } from './keys.ts'
import { runScript, type Script } from './run-script.ts'

const ttlMs = 180_000

const load = (name: string): Script => {
  const text = readFileSync(new URL(`./scripts/${name}.lua`, import.meta.url), 'utf8')
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

const keepScript = load('call-keep')
const dropScript = load('call-drop')

export const createCallSessions = (redis: Redis): CallSessions => ({
  async keep(id, epoch, { session, ownSdp }) {
    const fields = ['sdpType', session?.sdpType ?? '', 'sdp', session?.sdp ?? '', 'own', ownSdp ?? '']
    await runScript(redis, keepScript, { keys: [keys.callState(id)], args: [epoch, ttlMs, ...fields] })
  },
  async drop(id, epoch) {
    await runScript(redis, dropScript, { keys: [keys.callState(id)], args: [epoch, ttlMs] })
  },
  async read(id) {
    const [sdpType, sdp, own] = await bounded(redis.hmGet(keys.callState(id), ['sdpType', 'sdp', 'own']))
    const isKept = (sdpType === 'offer' || sdpType === 'answer') && sdp
    return { session: isKept ? { sdpType, sdp } : null, ownSdp: own ?? null }
  },
})
