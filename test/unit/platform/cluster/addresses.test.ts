import assert from 'node:assert/strict'
import { isElsewhere } from '../../../../src/platform/cluster/registry.ts'
import { createRpcClient } from '../../../../src/platform/cluster/rpc-client.ts'
import { systemClock } from '../../../../src/shared/clock.ts'
import { describe, test } from '../../../support/harness.ts'

describe('addresses that other processes register', () => {
  test('a loopback address or a wildcard of another host leads nowhere', () => {
    for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]', '0.0.0.0', '[::]']) {
      const address = `http://${host}:9000`
      assert.equal(isElsewhere({ host: 'there', address }, 'here'), true, address)
      assert.equal(isElsewhere({ host: 'here', address }, 'here'), false, address)
    }
    for (const host of ['10.0.0.5', 'gateway-1', '[fd00::1]', '0.0.0.0.example.com'])
      assert.equal(isElsewhere({ host: 'there', address: `http://${host}:9000` }, 'here'), false, host)
  })

  test('one that is no address reaches nobody, and harms nobody', async () => {
    const rpc = createRpcClient({
      secrets: ['a secret of sixteen letters or more'],
      clock: systemClock,
      onUnsealed: () => assert.fail('nobody was asked'),
    })
    const envelope = {
      ...({ v: 1, kind: 'call', id: 'x', sid: 's', msgId: 'm', type: 'tell', deadlineMs: 0 } as const),
      message: { type: 'stay' },
    }
    for (const address of [
      'http://fd00::1:9000',
      'http://:9000',
      'http://gateway:9000/path?a=b',
      'ftp://gateway',
    ])
      assert.deepEqual(await rpc.send(address, envelope), { type: 'unreached' }, address)
    for (const address of ['http://fd00::1:9000', 'ftp://gateway'])
      assert.equal(await rpc.probe(address), 'silent', address)
    await rpc.close()
  })
})
