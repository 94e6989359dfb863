import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createKnownDevices } from '../../../src/accounts/known-device.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'

const [ann, bob] = [newId('operator'), newId('operator')]
const key = randomBytes(32)

function world(keys: readonly Buffer[] = [key]) {
  const clock = new SimulatedClock()
  const devices = createKnownDevices(keys, () => clock.now())
  const cookieNow = (known?: string) =>
    devices.cookie(ann, { known, isSecure: false }).split(';', 1)[0] ?? assert.fail()
  return { clock, devices, cookieNow }
}

describe('the cookie of a known device', () => {
  test('is for the console alone, out of reach of scripts, and lasts half a year', () => {
    const { devices } = world()
    assert.match(
      devices.cookie(ann, { known: undefined, isSecure: true }),
      /^switchboard_device=[\w.-]+; Path=\/console; Max-Age=15552000; HttpOnly; SameSite=Strict; Secure$/,
    )
  })

  test('names the same device after every sign-in there, and another one elsewhere', () => {
    const { devices, cookieNow } = world()
    const here = devices.idOf(cookieNow(), ann) ?? assert.fail()
    assert.equal(devices.idOf(`a=b; ${cookieNow(here)}; c`, ann), here)
    assert.notEqual(devices.idOf(cookieNow(), ann), here)
  })

  test('is of one operator: it says nothing about guesses at another account', () => {
    const { devices, cookieNow } = world()
    assert.equal(devices.idOf(cookieNow(), bob), undefined)
  })

  test('ends', async () => {
    const { clock, devices, cookieNow } = world()
    const cookie = cookieNow()
    await clock.advance(179 * 86_400_000)
    assert.ok(devices.idOf(cookie, ann))
    await clock.advance(86_400_001)
    assert.equal(devices.idOf(cookie, ann), undefined)
  })

  test('that was forged or changed is none', () => {
    const { devices, cookieNow } = world()
    const cookie = cookieNow()
    const [device = '', operator = '', end = '', mac = ''] = cookie
      .slice('switchboard_device='.length)
      .split('.')
    const forged = world([randomBytes(32)]).cookieNow()
    const other = `${device.startsWith('A') ? 'B' : 'A'}${device.slice(1)}`
    for (const value of [
      forged,
      `switchboard_device=${other}.${operator}.${end}.${mac}`,
      `switchboard_device=${device}.${operator}.${Number(end) + 1}.${mac}`,
      `switchboard_device=${device}.${operator}.${end}.`,
      'switchboard_device=',
      '',
      undefined,
    ])
      assert.equal(devices.idOf(value, ann), undefined, value)
  })

  test('stays good while its key is one of the keys', () => {
    const next = randomBytes(32)
    const cookie = world().cookieNow()
    assert.ok(world([next, key]).devices.idOf(cookie, ann))
    assert.equal(world([next]).devices.idOf(cookie, ann), undefined)
  })
})
