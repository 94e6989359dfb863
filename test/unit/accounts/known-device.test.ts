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
  const idOf = (cookies: string | undefined, operatorId = ann) =>
    devices.idOf(operatorId, { cookies, isSecure: false })
  return { clock, devices, cookieNow, idOf }
}

describe('the cookie of a known device', () => {
  test('is for the console alone, out of reach of scripts, and lasts half a year', () => {
    const { devices } = world()
    assert.match(
      devices.cookie(ann, { known: undefined, isSecure: false }),
      /^switchboard_device=[\w.-]+; Path=\/console; Max-Age=15552000; HttpOnly; SameSite=Strict$/,
    )
  })

  test('comes over TLS from this host alone, and no other one counts there', () => {
    const { devices, cookieNow } = world()
    const cookie = devices.cookie(ann, { known: undefined, isSecure: true })
    assert.match(
      cookie,
      /^__Host-switchboard_device=[\w.-]+; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Strict; Secure$/,
    )
    assert.ok(devices.idOf(ann, { cookies: cookie.split(';', 1)[0], isSecure: true }))
    assert.equal(devices.idOf(ann, { cookies: cookieNow(), isSecure: true }), undefined)
  })

  test('names the same device after every sign-in there, and another one elsewhere', () => {
    const { idOf, cookieNow } = world()
    const here = idOf(cookieNow()) ?? assert.fail()
    assert.equal(idOf(`a=b; ${cookieNow(here)}; c`), here)
    assert.notEqual(idOf(cookieNow()), here)
  })

  test('is of one operator: it says nothing about guesses at another account', () => {
    const { idOf, cookieNow } = world()
    assert.equal(idOf(cookieNow(), bob), undefined)
  })

  test('ends', async () => {
    const { clock, idOf, cookieNow } = world()
    const cookie = cookieNow()
    await clock.advance(179 * 86_400_000)
    assert.ok(idOf(cookie))
    await clock.advance(86_400_001)
    assert.equal(idOf(cookie), undefined)
  })

  test('that was forged or changed is none', () => {
    const { idOf, cookieNow } = world()
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
      assert.equal(idOf(value), undefined, value)
  })

  test('stays good while its key is one of the keys', () => {
    const next = randomBytes(32)
    const cookie = world().cookieNow()
    assert.ok(world([next, key]).idOf(cookie))
    assert.equal(world([next]).idOf(cookie), undefined)
  })
})
