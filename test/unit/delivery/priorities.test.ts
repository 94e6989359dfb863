import assert from 'node:assert/strict'
import { describe, test } from '../../support/harness.ts'
import { config, Driver, https, item, ok } from './endpoint-driver.ts'

const items = (count: number) => Array.from({ length: count }, () => item())
const retries = (count: number) => Array.from({ length: count }, () => item({ attemptNumber: 2 }))
const call = { kind: 'call.ringing', body: '{"event":"call.ringing"}', headers: {} } as const

describe('first attempts and retries over HTTPS', () => {
  test('retries that hang hold no first attempt up, while a streak of failures runs neither', () => {
    for (const consecutiveFailures of [0, 5, 18]) {
      const driver = new Driver(https({ consecutiveFailures }))
      driver.tell({ type: 'deliver', items: retries(50) })
      const fresh = items(1)
      driver.tell({ type: 'deliver', items: fresh })
      assert.ok(
        driver.of('post').some((effect) => effect.item === fresh[0]),
        `${consecutiveFailures}`,
      )
    }
  })

  test('at a high concurrency, retries under way leave all places to first attempts', () => {
    const driver = new Driver(https())
    driver.tell({ type: 'deliver', items: items(200) })
    for (let round = 0; round < 4; round += 1) driver.answerAll(ok)
    driver.tell({ type: 'deliver', items: retries(50) })
    const firsts = [...driver.state.posts.values()].filter(({ item: one }) => 'deliveryId' in one)
    assert.ok(driver.state.concurrency.cap >= 16)
    assert.equal(firsts.length - driver.state.retryPosts, driver.state.concurrency.cap)
    assert.ok(driver.state.retryPosts >= 1)
  })

  test('a queue full of retries keeps no first attempt in the store', () => {
    const driver = new Driver(https())
    driver.tell({ type: 'deliver', items: retries(1_200) })
    driver.tell({ type: 'deliver', items: items(1_500) })
    for (let round = 0; round < 100 && driver.of('pull').length === 0; round += 1) {
      for (const [token, work] of driver.state.posts)
        if ('attemptNumber' in work.item && work.item.attemptNumber === 1)
          driver.tell({ type: 'posted', token, report: ok })
    }
    assert.deepEqual(
      driver.of('pull').map(({ first, retries: again }) => [first > 0, again]),
      [[true, 0]],
    )
  })

  test('a retry that is due goes out though thousands of first attempts wait in the store', () => {
    const driver = new Driver(https())
    driver.tell({ type: 'deliver', items: items(1_500) })
    const due = item({ attemptNumber: 3 })
    driver.tell({ type: 'deliver', items: [due] })
    assert.ok(driver.of('post').some((effect) => effect.item === due))
  })

  test('thousands of replays keep no new event waiting', () => {
    const driver = new Driver(https())
    driver.tell({ type: 'wake' })
    const replays = Array.from({ length: 200 }, () => item({ replay: true, attemptNumber: 7 }))
    driver.pulled(replays, { retries: true })
    const fresh = item()
    driver.tell({ type: 'deliver', items: [fresh] })
    assert.equal(driver.last('post').item, fresh)
  })
})

describe('calls', () => {
  test('beyond the requests of their own wait, five hundred at most, and fail in their time', () => {
    const driver = new Driver(https())
    for (let count = 0; count < 32 + 512 + 1; count += 1)
      driver.tell({ type: 'direct', item: call }, `asker ${count}`)
    assert.equal(driver.state.directPosts, 32)
    assert.equal(driver.state.urgent.length, 512)
    const [refused] = driver.of('reply') as unknown as { value: { code: string } }[]
    assert.equal(refused?.value.code, 'OVERLOADED')
    const [timer] = driver.of('setTimer').filter(({ name }) => name.startsWith('direct:'))
    driver.tell(timer?.message ?? assert.fail())
    assert.equal((driver.last('reply').value as { code: string }).code, 'TIMEOUT')
    const [token = 0] = driver.state.posts.keys()
    driver.tell({ type: 'posted', token, report: ok })
    assert.equal(driver.state.directPosts, 32)
  })

  test('pass a backlog on a socket whose window deliveries have filled', () => {
    const driver = new Driver(config())
    const body = 'ü'.repeat(5_000)
    driver.tell({ type: 'deliver', items: Array.from({ length: 60 }, () => item({ body })) })
    const token = driver.open()
    driver.writeAll()
    driver.tell({ type: 'pong', token, ping: driver.pings()[0]?.ping ?? 0 })
    driver.writeAll()
    driver.tell({ type: 'wake' })
    const frames = driver.of('frame').length
    assert.ok(frames < 60, 'the window is full')
    driver.tell({ type: 'direct', item: call }, 'asker')
    assert.equal(driver.of('frame').length, frames + 1)
    assert.equal(driver.last('frame').item, call)
  })

  test('that fill the window of a socket within a round trip all go out, as it proves to read', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'direct', item: call }, 'first')
    const token = driver.open()
    driver.writeAll()
    const large = { ...call, body: 'x'.repeat(4_000) }
    for (let count = 0; count < 256; count += 1)
      driver.tell({ type: 'direct', item: large }, `asker ${count}`)
    assert.ok(driver.of('frame').length < 100, 'the window is full')
    for (let round = 0; round < 10 && driver.state.urgent.length > 0; round += 1) {
      driver.writeAll()
      driver.tell({ type: 'pong', token, ping: driver.pings().at(-1)?.ping ?? 0 })
    }
    assert.deepEqual([driver.of('frame').length, driver.state.urgent.length], [257, 0])
  })

  test('on an open socket that takes no more have failed after five seconds', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'direct', item: call }, 'asker')
    const token = driver.open()
    const [timer] = driver.of('setTimer').filter(({ name }) => name.startsWith('direct:'))
    driver.tell(timer?.message ?? assert.fail())
    assert.equal((driver.last('reply').value as { code: string }).code, 'BACKPRESSURE')
    const replies = driver.of('reply').length
    driver.tell({ type: 'frameDone', token, frame: driver.last('frame').frame, written: true })
    assert.equal(driver.of('reply').length, replies)
  })

  test('hurry a dial that waits for its turn, once', () => {
    const driver = new Driver(config())
    driver.tell({ type: 'deliver', items: items(1) })
    assert.equal(driver.last('dial').isUrgent, false)
    driver.tell({ type: 'direct', item: call }, 'asker')
    driver.tell({ type: 'direct', item: call }, 'another')
    assert.deepEqual(
      driver.of('hurryDial').map(({ token }) => token),
      [driver.last('dial').token],
    )
  })
})

describe('an edit while attempts are on the wire', () => {
  test('puts frames that were not taken, and the event of a dial, in front of the next socket, in their order', () => {
    const endpoint = config()
    const driver = new Driver(endpoint)
    const { key } = item()
    const [one, two, three] = [item({ key }), item({ key }), item({ key })]
    driver.tell({ type: 'deliver', items: [one, two] })
    driver.reloaded({ ...endpoint, configVersion: 2, secret: 'whsec_BBBB' })
    driver.tell({ type: 'deliver', items: [three] })
    driver.open()
    driver.reloaded({ ...endpoint, configVersion: 3, secret: 'whsec_CCCC' })
    const before = driver.of('frame').length
    driver.open()
    assert.equal(before, 3)
    assert.equal(driver.of('frame').length, 6)
    assert.deepEqual(driver.records(), [])
    const token = driver.last('frame').token
    driver.readAll()
    driver.tell({ type: 'settleDue', token })
    assert.deepEqual(
      driver.records().map((record) => record.item),
      [one, two, three],
    )
  })

  test('nothing begins between a change and its reload, so that all that follows has the new secret', () => {
    const endpoint = https()
    const changed = { ...endpoint, configVersion: 3, secret: 'whsec_BBBB' }
    const driver = new Driver(endpoint)
    driver.tell({ type: 'configChanged' })
    const first = driver.last('reload').token
    driver.tell({ type: 'configChanged' })
    driver.tell({ type: 'deliver', items: [item()] })
    const call = { kind: 'call.ringing' as const, body: '{}', headers: {}, askedAtMs: 0 }
    driver.tell({ type: 'direct', item: call }, 'asker')
    driver.tell({ type: 'reloaded', token: first, config: endpoint })
    assert.equal(driver.of('post').length, 0)
    driver.reloaded(changed)
    assert.deepEqual(
      driver.of('post').map(({ config }) => config.secret),
      [changed.secret, changed.secret],
    )
  })

  test('the answer of an older reload that comes last changes nothing', () => {
    const endpoint = https()
    const driver = new Driver(endpoint)
    driver.tell({ type: 'configChanged' })
    const off = driver.last('reload').token
    driver.tell({ type: 'configChanged' })
    driver.reloaded({ ...endpoint, configVersion: 3 })
    driver.tell({ type: 'reloaded', token: off, config: { ...endpoint, configVersion: 2, enabled: false } })
    assert.deepEqual([driver.state.config.configVersion, driver.state.config.enabled], [3, true])
  })

  test('what a pull read after a change waits for it, though nobody told the owner of it yet', () => {
    const endpoint = https()
    const driver = new Driver(endpoint)
    driver.tell({ type: 'wake' })
    const { token } = driver.last('pull')
    const more = { first: false, retries: false }
    driver.tell({ type: 'pulled', token, items: [item({ replay: true })], more, configVersion: 2 })
    assert.equal(driver.of('post').length, 0)
    driver.reloaded({ ...endpoint, configVersion: 2, secret: 'whsec_BBBB' })
    assert.equal(driver.last('post').config.secret, 'whsec_BBBB')
  })

  test('a reload that failed is tried again, and a call that waits for it has its five seconds', () => {
    const endpoint = config()
    const driver = new Driver(endpoint)
    driver.tell({ type: 'configChanged' })
    driver.tell({ type: 'reloadFailed', token: driver.last('reload').token })
    const again = driver.of('setTimer').find(({ name }) => name === 'reload')
    assert.ok(again)
    const call = { kind: 'call.ringing' as const, body: '{}', headers: {}, askedAtMs: 0 }
    driver.tell({ type: 'direct', item: call }, 'asker')
    assert.equal(driver.of('dial').length, 0)
    const due = driver.of('setTimer').find(({ name }) => name.startsWith('direct'))
    assert.equal(due?.delayMs, 5_000)
    driver.tell(again.message)
    driver.reloaded(endpoint)
    assert.equal(driver.of('dial').length, 1)
  })

  test('a pull that was under way when it was turned off brings nothing, though it is on again', () => {
    const endpoint = https()
    const driver = new Driver(endpoint)
    driver.tell({ type: 'wake' })
    const { token } = driver.last('pull')
    driver.reloaded({ ...endpoint, enabled: false, configVersion: 2 })
    driver.reloaded({ ...endpoint, configVersion: 3 })
    driver.tell({ type: 'pulled', token, items: items(3), more: { first: false, retries: false } })
    assert.equal(driver.of('post').length, 0)
  })

  test('a new name does not forget failures whose results are not committed yet', () => {
    const endpoint = https()
    const driver = new Driver(endpoint)
    driver.tell({ type: 'deliver', items: items(100) })
    for (let round = 0; round < 12; round += 1) driver.failAll()
    driver.reloaded({ ...endpoint, configVersion: 2, consecutiveFailures: 2 })
    for (let round = 0; round < 30; round += 1) driver.failAll()
    assert.equal(driver.of('post').length, 20)
  })

  test('off and on again unseen, with twenty failures behind it, it asks what the store counts and has, and goes on', () => {
    const endpoint = https()
    const driver = new Driver(endpoint)
    driver.tell({ type: 'deliver', items: items(100) })
    for (let round = 0; round < 30; round += 1) driver.failAll()
    const ids = driver.records().map((record) => record.item.deliveryId)
    assert.equal(ids.length, 20)
    driver.tell({ type: 'recorded', deliveryIds: ids, enabled: true })
    assert.equal(driver.of('reload').length, 1)
    driver.reloaded({ ...endpoint, configVersion: 3, turnedOnVersion: 3, consecutiveFailures: 4 })
    assert.equal(driver.of('post').length, 20)
    const { token } = driver.last('pull')
    const more = { first: false, retries: false }
    driver.tell({ type: 'pulled', token, items: items(3), more, configVersion: 3 })
    assert.equal(driver.of('post').length, 21)
  })
})
