// The micro-batched floor that writes what the specification has a gateway keep, and nothing else: each message and call
// once, its conversation, every event with its delivery, and that the receiver has it.
import { Batcher } from '../../src/shared/batcher.ts'
import type { OpponentProtocol } from '../harness/opponents.ts'
import { serve } from '../harness/part.ts'
import { commitDurable, hungUp, settle } from './durable-rows.ts'
import type { Change, Row } from './floor-rows.ts'
import { startFloor } from './floor-server.ts'
import { microBatch } from './micro-batch.ts'

/** As long as a gateway's results may linger. */
const lingerMs = 50

serve<OpponentProtocol>({
  start: (question) =>
    startFloor(question, (sql, send) => {
      const commit = microBatch((changes) => commitDurable(sql, changes))
      const settled = new Batcher<string, undefined>({
        ...{ maxItems: 200, maxWaiting: 100_000, lingerMs },
        flush: async (ids) => {
          await settle(sql, ids)
          return ids.map(() => undefined)
        },
      })
      const ringing = new Map<string, Row>()
      return async (given) => {
        const change = given.type === 'hangUp' ? hungUp(given, ringing) : given
        await commit(change)
        handOver(change)
      }

      function handOver({ type, row, theirs, frame }: Change): void {
        if (!row) return
        if (type === 'ring') ringing.set(theirs, row)
        if (type === 'ring' && frame) send(frame)
        send(row.body, () => void settled.add(row.deliveryId))
      }
    }),
})
