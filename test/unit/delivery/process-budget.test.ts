import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type EndpointQuota, ProcessBudget } from '../../../src/delivery/process-budget.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { config, Driver, https, item, ok } from './endpoint-driver.ts'

const body = 'x'.repeat(1_000)
const items = (count: number) => Array.from({ length: count }, () => item({ body }))
const none = { items: [], more: { first: false, retries: false } }

describe('memory for what waits', () => {
  test('is bounded over all endpoints, and none that comes late finds it taken', () => {
    const processBudget = new ProcessBudget({ bytes: 100_000 })
    const drivers = Array.from({ length: 30 }, () => new Driver(https(), none, processBudget))
    for (const driver of drivers) driver.tell({ type: 'deliver', items: items(200) })
    assert.ok(processBudget.bytesHeld <= 100_000 + 30 * body.length, `${processBudget.bytesHeld}`)
    for (const { state } of drivers) {
      assert.ok(state.known.size >= 1)
      assert.ok(state.inStore.first || state.pulling?.first, 'the rest is asked of the store')
    }
  })

  test('is shared: two that have as much to send hold as much, and who holds much leaves as much free', () => {
    const processBudget = new ProcessBudget({ bytes: 90_000 })
    const alone = new Driver(https(), none, processBudget)
    alone.tell({ type: 'deliver', items: items(500) })
    assert.ok(alone.state.first.size >= 40 && alone.state.first.size <= 46, `${alone.state.first.size}`)
    const other = new Driver(https(), none, processBudget)
    other.tell({ type: 'deliver', items: items(500) })
    assert.ok(other.state.first.size >= 20, `${other.state.first.size}`)
  })

  test('what found no room is pulled when there is some, few rows at a time while it is short', () => {
    const processBudget = new ProcessBudget({ bytes: 20_000 })
    const driver = new Driver(https(), none, processBudget)
    driver.tell({ type: 'deliver', items: items(40) })
    assert.equal(driver.of('pull').length, 0)
    for (let round = 0; round < 20 && driver.of('pull').length === 0; round += 1) driver.answerAll(ok)
    const pull = driver.last('pull')
    assert.ok(pull.first >= 5 && pull.first < 200, `${pull.first}`)
    driver.pulled(items(5))
    for (let round = 0; round < 20; round += 1) driver.answerAll(ok)
    assert.equal(processBudget.bytesHeld, 0)
  })

  test('is taken by frames that are unread, until they are read or their socket is lost', () => {
    const processBudget = new ProcessBudget({ bytes: 100_000 })
    const driver = new Driver(config(), none, processBudget)
    driver.tell({ type: 'deliver', items: items(45) })
    const token = driver.open()
    driver.tell({ type: 'settleDue', token })
    driver.readAll()
    assert.equal(processBudget.bytesHeld, 0)
    driver.tell({ type: 'deliver', items: items(40) })
    driver.tell({ type: 'deliver', items: items(20) })
    const { first, unreadShare } = driver.state
    // The window would let all of them go, but as much as is held has to be free.
    assert.deepEqual([unreadShare.held, first.size], [40 * body.length, 20])
    assert.equal(processBudget.bytesHeld, 60 * body.length)
    driver.readAll()
    assert.equal(processBudget.bytesHeld, 0)
    driver.tell({ type: 'deliver', items: items(3) })
    const { frame } = driver.last('frame')
    driver.tell({ type: 'frameDone', token, frame, written: false })
    assert.equal(processBudget.bytesHeld, 2 * body.length)
    driver.tell({ type: 'socketClosed', token, code: 1006 })
    assert.equal(processBudget.bytesHeld, 0)
  })

  test('that is short leaves a socket sixteen unread frames', () => {
    const driver = new Driver(config(), none, new ProcessBudget({ bytes: 0 }))
    driver.tell({ type: 'deliver', items: items(1) })
    driver.tell({ type: 'settleDue', token: driver.open() })
    driver.readAll()
    for (const one of items(40)) driver.tell({ type: 'deliver', items: [one] })
    assert.equal(driver.of('frame').length, 1 + 16)
  })

  test('is given back by an incarnation that ends, and by one that another replaced', () => {
    const processBudget = new ProcessBudget({ bytes: 1_000 })
    const workspaceId = newId('workspace')
    const first = processBudget.open('x', 1, workspaceId)
    first.first.take(400)
    first.posts.take(3)
    const second = processBudget.open('x', 2, workspaceId)
    assert.deepEqual([processBudget.bytesHeld, processBudget.postsHeld], [0, 0])
    second.first.take(300)
    processBudget.open('x', 1, workspaceId).first.take(500)
    processBudget.close('x', 1)
    assert.equal(processBudget.bytesHeld, 300)
    processBudget.close('x', 2)
    assert.equal(processBudget.bytesHeld, 0)
  })
})

describe('requests under way', () => {
  const open = (
    processBudget: ProcessBudget,
    count: number,
    workspaceId = newId('workspace'),
  ): EndpointQuota[] =>
    Array.from({ length: count }, (_, n) => processBudget.open(`${workspaceId} ${n}`, 1, workspaceId))
  /** Takes everything that it is granted, at most 16. */
  const grab = ({ posts }: EndpointQuota) => {
    while (posts.held < Math.min(64, posts.limit)) posts.take(1)
  }

  test('of a workspace whose endpoints all hang are bounded, and its next endpoint starts at once', () => {
    const processBudget = new ProcessBudget({ bytes: 0 })
    const workspaceId = newId('workspace')
    const stakes = open(processBudget, 19, workspaceId)
    for (const quota of stakes) grab(quota)
    assert.ok(processBudget.postsHeld <= 128 + 19 * 4, `${processBudget.postsHeld}`)
    const next = processBudget.open('next', 1, workspaceId)
    assert.ok(next.posts.limit >= 4)
  })

  test('and bodies of an incarnation that was replaced count nowhere, whatever it does until it learns of that', () => {
    const processBudget = new ProcessBudget({ bytes: 1_000 })
    const [id, workspaceId] = ['x', newId('workspace')]
    const replaced = processBudget.open(id, 1, workspaceId)
    replaced.first.take(100)
    processBudget.open(id, 2, workspaceId)
    replaced.first.take(300)
    replaced.posts.take(1)
    processBudget.close(id, 2)
    processBudget.close(id, 1)
    assert.deepEqual([processBudget.bytesHeld, processBudget.postsHeld], [0, 0])
  })

  test('of one workspace do not shorten those of another', () => {
    const processBudget = new ProcessBudget({ bytes: 0 })
    for (const quota of open(processBudget, 20)) grab(quota)
    const [other] = open(processBudget, 1)
    assert.ok((other?.posts.limit ?? 0) >= 64)
  })

  test('never take the right of any endpoint, whatever is taken and given', () => {
    const moves = fc.array(fc.record({ who: fc.nat(59), give: fc.boolean() }), { maxLength: 400 })
    fc.assert(
      fc.property(moves, (script) => {
        const processBudget = new ProcessBudget({ bytes: 0, posts: 100, postsPerWorkspace: 20 })
        const stakes = [0, 1, 2].flatMap(() => open(processBudget, 20))
        for (const { who, give } of script) {
          const posts = stakes[who]?.posts ?? assert.fail()
          if (give) posts.give(1)
          else if (posts.held < posts.limit) posts.take(1)
          assert.ok(posts.limit >= 4)
          assert.ok(processBudget.postsHeld <= 100 + 60 * 4)
        }
        assert.equal(
          processBudget.postsHeld,
          stakes.reduce((sum, { posts }) => sum + posts.held, 0),
        )
      }),
    )
  })

  test('an endpoint keeps to what the process grants, and a call does not', () => {
    const processBudget = new ProcessBudget({ bytes: 1_000_000, posts: 0, postsPerWorkspace: 0 })
    const driver = new Driver(https(), none, processBudget)
    driver.tell({ type: 'deliver', items: Array.from({ length: 100 }, () => item()) })
    for (let round = 0; round < 6; round += 1) driver.answerAll(ok)
    assert.equal(driver.state.posts.size, 4)
    driver.tell({ type: 'direct', item: { kind: 'call.ringing', body: '{}', headers: {} } }, 'asker')
    assert.equal(driver.state.posts.size, 5)
  })
})
