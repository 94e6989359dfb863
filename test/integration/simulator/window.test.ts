import assert from 'node:assert/strict'
import { after, before, describe, test } from '../../support/harness.ts'
import { codeOf, NUMBER, type Rig, startRig, templateTo, wamidOf } from './harness.ts'

let rig: Rig
before(async () => {
  rig = await startRig()
})
after(() => rig.close())

const textTo = (to: string) => ({ messaging_product: 'whatsapp', to, type: 'text', text: { body: 'b' } })

describe('the 24-hour window', () => {
  const waId = '15551230801'
  const text = () => rig.provider('messages', textTo(waId))
  const at = (hours: number) => rig.control('PUT', 'config', { clockOffsetMs: hours * 3_600_000 })

  test('is opened by a message and by a call, for 24 hours, and not by an edit', async () => {
    await rig.control('POST', `handsets/${waId}/messages`, { to: NUMBER, type: 'text', text: 'hi' })
    await at(23.9)
    await rig.expect('status', { id: wamidOf(await text()), status: 'delivered' })
    await at(24.1)
    await rig.control('POST', `handsets/${waId}/messages`, { to: NUMBER, type: 'edit', content: {} })
    const [failed] = await rig.expect('status', { id: wamidOf(await text()), status: 'failed' })
    assert.match(JSON.stringify(failed?.update['errors']), /131047/)
    assert.equal((await rig.provider('messages', templateTo(waId))).status, 200)
    await rig.control('POST', `handsets/${waId}/calls`, { to: NUMBER })
    await rig.expect('status', { id: wamidOf(await text()), status: 'delivered' })
    await at(0)
  })

  test('can be told to refuse at once', async () => {
    await rig.control('PUT', 'config', { closedWindow: 'refusal' })
    const answer = await rig.provider('messages', textTo('15551230802'))
    await rig.control('PUT', 'config', { closedWindow: 'status' })
    assert.equal(codeOf(answer), 131047)
  })
})
