import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import type { WrittenDelivery } from '../../../src/contract/dispatch.ts'
import type { EndpointMessage } from '../../../src/delivery/endpoint.messages.ts'
import type { QueuedItem } from '../../../src/delivery/endpoint.ts'
import { createDispatch } from '../../../src/delivery/host/dispatch.ts'
import { type EndpointId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

const written = (endpointId: EndpointId, body = '{}'): WrittenDelivery => ({
  deliveryId: newId('delivery'),
  eventId: newId('event'),
  endpointId,
  workspaceId: newId('workspace'),
  kind: 'message.status',
  key: newId('conversation'),
  after: null,
  body: Buffer.from(body),
})

/** A router whose `tell` ends when the test says so. */
function slowRouter() {
  const told: { readonly id: string; readonly items: readonly QueuedItem[]; end(failed?: boolean): void }[] =
    []
  const tell = (_kind: 'endpoint', id: string, message: EndpointMessage) =>
    new Promise((resolve, reject) => {
      const items = message.type === 'deliver' ? message.items : []
      told.push({ id, items, end: (failed) => (failed ? reject(new Error('no way')) : resolve(undefined)) })
    })
  return { told, dispatch: createDispatch({ tell }) }
}

const idsOf = (items: readonly { readonly deliveryId: string }[]) => items.map(({ deliveryId }) => deliveryId)

describe('the hand-over of deliveries', () => {
  test('gathers what is written for an endpoint while one is under way, in its order', async () => {
    const { told, dispatch } = slowRouter()
    const [one, other] = [newId('endpoint'), newId('endpoint')]
    const first = written(one)
    const later = Array.from({ length: 150 }, () => written(one))
    dispatch([first])
    for (const delivery of later) dispatch([delivery])
    dispatch([written(other)])
    assert.deepEqual(
      told.map(({ id, items }) => [id, items.length]),
      [
        [one, 1],
        [other, 1],
      ],
    )
    for (let count = told.length; count < 5; count = told.length) {
      told.at(-1)?.end()
      told[0]?.end()
      await turn()
      if (told.length === count) break
    }
    const toOne = told.filter(({ id }) => id === one)
    assert.deepEqual(
      toOne.map(({ items }) => items.length),
      [1, 100, 50],
    )
    assert.deepEqual(idsOf(toOne.flatMap(({ items }) => items)), idsOf([first, ...later]))
  })

  test('goes on after one that failed, and sends no more than a message holds', async () => {
    const { told, dispatch } = slowRouter()
    const endpoint = newId('endpoint')
    const big = 'x'.repeat(200 * 1024)
    dispatch([written(endpoint), written(endpoint, big), written(endpoint, big)])
    told[0]?.end(true)
    await turn()
    told[1]?.end()
    await turn()
    assert.deepEqual(
      told.map(({ items }) => items.length),
      [1, 1, 1],
    )
  })
})
