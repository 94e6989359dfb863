import { newId } from '../../../src/shared/ids.ts'
import { MemoryOutbox } from '../../support/memory-outbox.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'
import { https } from '../../unit/delivery/endpoint-driver.ts'
import { outboxSuite } from './suite.ts'

outboxSuite('memory', async (failures = 0) => {
  const clock = new SimulatedClock()
  const outbox = new MemoryOutbox(clock, failures)
  return {
    endpoint: https({ id: outbox.endpointId, workspaceId: newId('workspace') }),
    emit: async (key) => outbox.emit(key).id,
    pending: async (wish) => outbox.pending(wish),
    dueRetry: async (id, attemptNumber) => outbox.dueRetry(id, attemptNumber),
    record: async (records) => outbox.record(records),
    isOverdue: async () => outbox.isOverdue(),
    replay: async (id) => outbox.replay(id),
    enable: async () => outbox.enable(),
    disable: async () => outbox.disable(),
    async state(id) {
      const row = outbox.rows.find((one) => one.id === id)
      return { state: row?.state ?? 'none', attemptCount: row?.attemptCount ?? 0 }
    },
    counter: async () => ({ enabled: outbox.enabled, consecutiveFailures: outbox.consecutiveFailures }),
    pass: (ms) => clock.advance(ms),
  }
})
