// Timers of retries in a Redis that has restarted.
import assert from 'node:assert/strict'
import { openRetryTimers } from '../../../src/delivery/host/retry-queue.ts'
import { connectRedis } from '../../../src/platform/redis/client.ts'
import { newId } from '../../../src/shared/ids.ts'
import { test } from '../../support/harness.ts'
import { testRedis } from '../../support/redis.ts'

test('a Redis that has lost its scripts, as after a restart, takes timers', async () => {
  const server = await testRedis()
  const redis = await connectRedis({ url: server.url, role: 'commands', onError: () => {} })
  const warnings: object[] = []
  let told: (isSet: boolean) => void = () => {}
  const metrics = { timersSet: (_count: number, isSet: boolean) => told(isSet) }
  const timers = await openRetryTimers(
    server.url,
    { warn: (fields: object) => warnings.push(fields) } as never,
    metrics as never,
  )
  const areSet = () =>
    new Promise<boolean>((resolve) => {
      told = resolve
      const endpointId = newId('endpoint')
      const retry = () => ({
        endpointId,
        deliveryId: newId('delivery'),
        ...{ attemptNumber: 2, delayMs: 60_000 },
      })
      timers.schedule([retry(), retry()])
    })
  try {
    assert.equal(await areSet(), true)
    await redis.scriptFlush()
    assert.equal(await areSet(), true)
    assert.deepEqual(warnings, [])
    const delayed = await redis.keys('*:delayed')
    assert.equal(await redis.zCard(delayed[0] ?? ''), 4)
  } finally {
    await timers.close()
    redis.destroy()
    await server.stop()
  }
})
