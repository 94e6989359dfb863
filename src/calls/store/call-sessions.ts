// The SDP of live calls in Redis, for the owner that takes over. Otherwise SDP is only in the owner's memory. What is
// written at the same time shares a script.

import { bounded, type Redis } from '../../platform/redis/client.ts'
import { keys } from '../../platform/redis/keys.ts'
import { loadScript, runScript, type Script } from '../../platform/redis/run-script.ts'
import { Batcher } from '../../shared/batcher.ts'
import type { CallSessions } from '../ports.ts'

const ttlMs = 180_000
/** Nobody waits for the end of what nobody reads any more. */
const dropLingerMs = 50

const saveScript = loadScript(import.meta.url, 'save-sdp')
const dropScript = loadScript(import.meta.url, 'drop-sdp')

interface Write {
  readonly id: string
  readonly args: readonly (string | number)[]
}

const writer = (redis: Redis, script: Script, { lingerMs }: { readonly lingerMs?: number } = {}) =>
  new Batcher<Write, void>({
    maxItems: 50,
    maxWaiting: 20_000,
    concurrency: 4,
    ...(lingerMs !== undefined && { lingerMs }),
    flush: async (all) => {
      await runScript(redis, script, {
        keys: all.map(({ id }) => keys.callState(id)),
        args: [ttlMs, ...all.flatMap(({ args }) => args)],
      })
      return []
    },
  })

export function createCallSessions(redis: Redis): CallSessions {
  const saves = writer(redis, saveScript)
  const drops = writer(redis, dropScript, { lingerMs: dropLingerMs })
  return {
    save: (id, epoch, { session, ownSdp }) =>
      saves.add({ id, args: [epoch, session?.sdpType ?? '', session?.sdp ?? '', ownSdp ?? ''] }),
    drop: (id, epoch) => drops.add({ id, args: [epoch] }),
    async read(id) {
      const [sdpType, sdp, own] = await bounded(redis.hmGet(keys.callState(id), ['sdpType', 'sdp', 'own']))
      const isSaved = (sdpType === 'offer' || sdpType === 'answer') && sdp
      return { session: isSaved ? { sdpType, sdp } : null, ownSdp: own ?? null }
    },
  }
}
