// The floor with natural micro-batching.
import type { OpponentProtocol } from '../harness/opponents.ts'
import { serve } from '../harness/part.ts'
import { commitMany, commitOne } from './floor-rows.ts'
import { startFloor } from './floor-server.ts'
import { microBatch } from './micro-batch.ts'

serve<OpponentProtocol>({
  start: (question) =>
    startFloor(question, (sql, send) => {
      const commit = microBatch(([first, ...more]) =>
        first && more.length === 0 ? commitOne(sql, first) : commitMany(sql, first ? [first, ...more] : more),
      )
      return async (change) => {
        await commit(change)
        if (change.frame) send(change.frame)
      }
    }),
})
