import assert from 'node:assert/strict'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { openWorld } from './console-world.ts'

const world = await openWorld()
const admin = await world.as('ADMIN')
const ws = `/workspaces/${world.ws}`
let made = 0

async function addNumber(workspaceId = world.workspaceId): Promise<string> {
  made += 1
  const id = newId('number')
  await world.sql`
    insert into numbers (id, workspace_id, phone_number_id, number)
    values (${id}, ${workspaceId}, ${`10000${made}`}, ${`+1555000${1000 + made}`})`
  return encodeId('number', id)
}

async function addEndpoint(events: string[]): Promise<string> {
  const body = { name: `Bot ${events.length}`, url: 'https://bot.example.com/', events }
  const reply = await admin('POST', `${ws}/endpoints`, body)
  assert.equal(reply.status, 201)
  return reply.body.id
}

const route = (id: string, body: object) => admin('PATCH', `${ws}/numbers/${id}`, body)

describe('routing of numbers', () => {
  test('an assignment needs message.received, and says so', async () => {
    const number = await addNumber()
    const deaf = await addEndpoint(['call.ringing', 'message.status'])
    const refused = await route(number, { endpointId: deaf })
    assert.equal(refused.status, 409)
    assert.equal(refused.body.error.code, 'INVALID_STATE')
    assert.match(refused.body.error.message, /"Bot 2" does not list message\.received/)
    const endpointId = await addEndpoint(['message.received'])
    const assigned = await route(number, { endpointId })
    assert.equal(assigned.status, 200)
    assert.deepEqual(assigned.body.replyRouting, { endpointId, endpointName: 'Bot 1' })
    const [listed] = (await admin('GET', `${ws}/numbers`)).body.data
    assert.deepEqual(listed, assigned.body)
  })

  test('Forward needs an assignment and call.ringing', async () => {
    const number = await addNumber()
    const unassigned = await route(number, { forwardCalls: true })
    assert.match(unassigned.body.error.message, /assign the number/)
    const quiet = await addEndpoint(['message.received'])
    assert.match(
      (await route(number, { endpointId: quiet, forwardCalls: true })).body.error.message,
      /call\.ringing/,
    )
    const endpointId = await addEndpoint(['message.received', 'call.ringing'])
    assert.equal((await route(number, { endpointId, forwardCalls: true })).body.forwardCalls, true)
    assert.equal((await route(number, { endpointId: quiet })).status, 409)
    const released = await route(number, { endpointId: null })
    assert.deepEqual([released.body.replyRouting, released.body.forwardCalls], [null, false])
  })

  test('what a number relies on cannot be taken away, and the number is named', async () => {
    const number = await addNumber()
    const endpointId = await addEndpoint(['message.received', 'call.ringing'])
    const { number: shown } = (await route(number, { endpointId, forwardCalls: true })).body
    const edits = [['message.received'], ['call.ringing'], ['call.status']]
    for (const events of edits) {
      const refused = await admin('PATCH', `${ws}/endpoints/${endpointId}`, { events })
      assert.equal(refused.status, 409)
      assert.equal(refused.body.error.code, 'IN_USE')
      assert.ok(refused.body.error.message.includes(shown), refused.body.error.message)
    }
    const deletion = await admin('DELETE', `${ws}/endpoints/${endpointId}`)
    assert.equal(deletion.body.error.code, 'IN_USE')
    assert.ok(deletion.body.error.message.includes(shown))
    await route(number, { forwardCalls: false })
    assert.equal(
      (await admin('PATCH', `${ws}/endpoints/${endpointId}`, { events: ['message.received'] })).status,
      200,
    )
    await route(number, { endpointId: null })
    assert.equal((await admin('DELETE', `${ws}/endpoints/${endpointId}`)).status, 204)
  })

  test('an assignment and an edit that exclude each other never both succeed', async () => {
    for (let round = 0; round < 15; round += 1) {
      const number = await addNumber()
      const endpointId = await addEndpoint(['message.received'])
      const [assigned, edited] = await Promise.all([
        route(number, { endpointId }),
        round % 2 === 0
          ? admin('PATCH', `${ws}/endpoints/${endpointId}`, { events: ['call.status'] })
          : admin('DELETE', `${ws}/endpoints/${endpointId}`),
      ])
      const succeeded = [assigned, edited].filter(({ status }) => status < 300)
      assert.equal(succeeded.length, 1, `round ${round}: ${assigned.status} ${edited.status}`)
      await world.sql`update numbers set endpoint_id = null`
      await world.sql`update endpoints set deleted_at = now()`
    }
  })

  test('a workspace has one default number, also when two are made it at once', async () => {
    const numbers = await Promise.all([1, 2, 3, 4].map(() => addNumber()))
    const replies = await Promise.all(numbers.map((number) => route(number, { isDefault: true })))
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200, 200],
    )
    const listed = (await admin('GET', `${ws}/numbers?limit=200`)).body.data
    assert.equal(listed.filter(({ isDefault }: { isDefault: boolean }) => isDefault).length, 1)
  })

  test('an endpoint of another workspace cannot be assigned, nor a number of another routed', async () => {
    const other = await world.addWorkspace('Other')
    const foreign = newId('endpoint')
    await world.sql`
      insert into endpoints (id, workspace_id, name, url, events, secret)
      values (${foreign}, ${other}, 'Theirs', 'https://x.example.com/', ${['message.received']}, '')`
    const refused = await route(await addNumber(), { endpointId: encodeId('endpoint', foreign) })
    assert.equal(refused.status, 400)
    assert.equal(refused.body.error.details[0].path, 'endpointId')
    assert.equal((await route(await addNumber(other), { isDefault: true })).status, 404)
    assert.equal((await route(await addNumber(), {})).status, 400)
  })

  test('a change is audited with before and after', async () => {
    const number = await addNumber()
    const endpointId = await addEndpoint(['message.received'])
    await route(number, { endpointId })
    const [entry] = (await admin('GET', `${ws}/audit?limit=1`)).body.data
    assert.deepEqual(
      [entry.action, entry.subjectId, entry.before.endpointId, entry.after.endpointId],
      ['number.routed', number, null, endpointId],
    )
  })
})
