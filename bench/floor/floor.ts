// The floor: a statement of its own for each webhook.
import type { OpponentProtocol } from '../harness/opponents.ts'
import { serve } from '../harness/part.ts'
import { commitOne } from './floor-rows.ts'
import { startFloor } from './floor-server.ts'

serve<OpponentProtocol>({
  start: (question) =>
    startFloor(question, (sql, send) => async (change) => {
      await commitOne(sql, change)
      if (change.frame) send(change.frame)
    }),
})
