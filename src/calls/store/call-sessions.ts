// The SDP of live calls in Redis, for the owner that takes over. Otherwise SDP is only in the owner's memory.

import { bounded, type Redis } from '../../platform/redis/client.ts'
import { keys } from '../../platform/redis/keys.ts'
import { loadScript, runScript } from '../../platform/redis/run-script.ts'
import type { CallSessions } from '../ports.ts'

const ttlMs = 180_000

const saveScript = loadScript(import.meta.url, 'save-sdp')
const dropScript = loadScript(import.meta.url, 'drop-sdp')

export const createCallSessions = (redis: Redis): CallSessions => ({
  async save(id, epoch, { session, ownSdp }) {
    const fields = ['sdpType', session?.sdpType ?? '', 'sdp', session?.sdp ?? '', 'own', ownSdp ?? '']
    await runScript(redis, saveScript, { keys: [keys.callState(id)], args: [epoch, ttlMs, ...fields] })
  },
  async drop(id, epoch) {
    await runScript(redis, dropScript, { keys: [keys.callState(id)], args: [epoch, ttlMs] })
  },
  async read(id) {
    const [sdpType, sdp, own] = await bounded(redis.hmGet(keys.callState(id), ['sdpType', 'sdp', 'own']))
    const isSaved = (sdpType === 'offer' || sdpType === 'answer') && sdp
    return { session: isSaved ? { sdpType, sdp } : null, ownSdp: own ?? null }
  },
})
