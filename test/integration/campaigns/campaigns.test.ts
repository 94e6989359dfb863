import assert from 'node:assert/strict'
import * as v from 'valibot'
import { campaignView } from '../../../src/api/schemas/campaigns.ts'
import { campaignStatuses } from '../../../src/contract/records/campaign.ts'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addTemplate, draft, node, offer, putInto, rowsOf, tenantWithKey } from './world.ts'

const sql = testPool(await testDatabase(), 8)
const as = await node(sql)

async function world() {
  const tenant = await tenantWithKey(sql)
  return { tenant, send: as(tenant.key) }
}

const later = () => new Date(Date.now() + 3_600_000).toISOString()

describe('POST /campaigns', () => {
  test('makes a draft that sends from the default number, and reads and lists as it was answered', async () => {
    const { tenant, send } = await world()
    const { status, json } = await send('POST', '/campaigns', { name: ' Spring ', template: offer })
    assert.equal(status, 201)
    assert.deepEqual(v.parse(campaignView, json), json)
    const { name, status: state, numberId, template, variables, startAt, messagesPerSecond, counts } = json
    assert.deepEqual([name, state, template, variables], ['Spring', 'DRAFT', offer, {}])
    assert.deepEqual([startAt, messagesPerSecond, counts.total], [null, null, 0])
    assert.equal(numberId, encodeId('number', tenant.numberId))
    assert.deepEqual((await send('GET', `/campaigns/${json.id}`)).json, json)
    assert.deepEqual((await send('GET', '/campaigns')).json, { data: [json], nextCursor: null })
  })

  test('keeps everything that was asked for', async () => {
    const { tenant, send } = await world()
    const body = {
      name: 'Autumn',
      template: offer,
      numberId: encodeId('number', tenant.numberId),
      variables: { code: 'A1' },
      startAt: later(),
      messagesPerSecond: 20,
    }
    const { json } = await send('POST', '/campaigns', body)
    assert.deepEqual({ ...json, ...body }, json)
  })

  test('with an Idempotency-Key makes one campaign, however often and on however many nodes it is asked for', async () => {
    const { tenant, send } = await world()
    const nodes = [send, (await node(sql))(tenant.key)]
    const ask = (body: object, key: string, index = 0) =>
      (nodes[index % 2] ?? send)('POST', '/campaigns', body, { 'idempotency-key': key })
    const body = { name: 'Spring', template: offer, variables: { code: 'A1', first_name: 'you' } }
    const made = await Promise.all(Array.from({ length: 8 }, (_, index) => ask(body, 'spring', index)))
    const [first] = made
    assert.deepEqual(made.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 200, 200, 201])
    assert.equal(new Set(made.map(({ json }) => json.id)).size, 1)
    for (const { status, headers } of made)
      assert.equal(headers.get('idempotent-replayed'), status === 200 ? 'true' : null)
    await send('PATCH', `/campaigns/${first?.json.id}`, { name: 'Summer' })
    const reordered = { ...body, variables: { first_name: 'you', code: 'A1' } }
    assert.equal((await ask(reordered, 'spring')).json.name, 'Summer')
    const other = await ask({ ...body, name: 'Autumn' }, 'spring')
    assert.deepEqual([other.status, other.json.error.code], [409, 'IDEMPOTENCY_KEY_REUSED'])
    assert.equal((await send('GET', '/campaigns')).json.data.length, 1)
    await send('DELETE', `/campaigns/${first?.json.id}`)
    const gone = await ask(body, 'spring')
    assert.deepEqual([gone.status, gone.json.error.code], [409, 'INVALID_STATE'])
  })

  test('does not use up the Idempotency-Key of a refused request, and refuses one of the wrong form', async () => {
    const { send } = await world()
    const ask = (body: object, key: string) => send('POST', '/campaigns', body, { 'idempotency-key': key })
    const body = { name: 'Spring', template: offer }
    assert.equal((await ask({ ...body, template: { ...offer, language: 'de' } }, 'k')).status, 422)
    assert.equal((await ask(body, 'k')).status, 201)
    const { status, json } = await ask(body, 'x'.repeat(256))
    assert.deepEqual([status, json.error.details[0].path], [400, 'Idempotency-Key'])
  })

  test('refuses a template, a number or a default that the workspace does not have', async () => {
    const { send } = await world()
    const other = await tenantWithKey(sql)
    const body = { name: 'Spring', template: offer }
    const refused = async (fields: object) => {
      const { status, json } = await send('POST', '/campaigns', { ...body, ...fields })
      return [status, json.error.code, json.error.details?.[0]?.path]
    }
    const missing = { template: { ...offer, language: 'de' } }
    assert.deepEqual(await refused(missing), [422, 'TEMPLATE_NOT_FOUND', undefined])
    const theirs = { numberId: encodeId('number', other.numberId) }
    assert.deepEqual(await refused(theirs), [422, 'NO_SENDER_NUMBER', undefined])
    const unknown = { variables: { code: 'x', cod: 'y' } }
    assert.deepEqual(await refused(unknown), [422, 'TEMPLATE_VARIABLES_MISMATCH', 'variables.cod'])
  })

  test('refuses a workspace without a default number that names none', async () => {
    const { tenant, send } = await world()
    await sql`update numbers set is_default = false where workspace_id = ${tenant.workspaceId}`
    const { json } = await send('POST', '/campaigns', { name: 'Spring', template: offer })
    assert.equal(json.error.code, 'NO_SENDER_NUMBER')
  })

  test('names the path of what does not fit', async () => {
    const { send } = await world()
    const body = { name: 'Spring', template: offer }
    const bad: readonly [object, path: string][] = [
      [{ template: offer }, 'name'],
      [{ ...body, name: '  ' }, 'name'],
      [{ ...body, name: 'x'.repeat(201) }, 'name'],
      [{ ...body, template: { name: 'offer' } }, 'template.language'],
      [{ ...body, template: { ...offer, variables: {} } }, 'template.variables'],
      [{ ...body, from: '+15551230000' }, 'from'],
      [{ ...body, numberId: 'num_1' }, 'numberId'],
      [{ ...body, variables: { code: 1 } }, 'variables.code'],
      [{ ...body, startAt: '2020-01-01T00:00:00Z' }, 'startAt'],
      [{ ...body, startAt: 'tomorrow' }, 'startAt'],
      [{ ...body, messagesPerSecond: 0 }, 'messagesPerSecond'],
      [{ ...body, messagesPerSecond: 1_001 }, 'messagesPerSecond'],
      [{ ...body, messagesPerSecond: 1.5 }, 'messagesPerSecond'],
      [{ ...body, messagesPerSecond: '20' }, 'messagesPerSecond'],
      [{ ...body, status: 'RUNNING' }, 'status'],
    ]
    for (const [fields, path] of bad) {
      const { status, json } = await send('POST', '/campaigns', fields)
      assert.deepEqual([status, json.error.details?.[0]?.path], [400, path], JSON.stringify(fields))
    }
  })
})

describe('GET /campaigns', () => {
  test('pages newest first, filters by status, and shows no deleted one', async () => {
    const { send } = await world()
    const ids: string[] = []
    for (let index = 0; index < 5; index += 1) ids.unshift(await draft(send))
    const [running = '', gone = ''] = ids
    await putInto(sql, running, 'RUNNING')
    assert.equal((await send('DELETE', `/campaigns/${gone}`)).status, 204)
    const seen: string[] = []
    for (let path: string | undefined = '/campaigns?limit=2'; path; ) {
      const { json } = await send('GET', path)
      seen.push(...json.data.map(({ id }: { id: string }) => id))
      path = json.nextCursor === null ? undefined : `/campaigns?limit=2&cursor=${json.nextCursor}`
    }
    assert.deepEqual(
      seen,
      ids.filter((id) => id !== gone),
    )
    const { json } = await send('GET', '/campaigns?status=RUNNING')
    assert.deepEqual(
      json.data.map(({ id }: { id: string }) => id),
      [running],
    )
    assert.equal((await send('GET', '/campaigns?status=running')).status, 400)
  })
})

describe('PATCH /campaigns/:id', () => {
  test('changes what it names and nothing else', async () => {
    const { send } = await world()
    const id = await draft(send, { template: offer, variables: { code: 'A1' }, startAt: later() })
    const before = (await send('GET', `/campaigns/${id}`)).json
    const { status, json } = await send('PATCH', `/campaigns/${id}`, { startAt: null, messagesPerSecond: 5 })
    assert.equal(status, 200)
    assert.deepEqual(json, { ...before, startAt: null, messagesPerSecond: 5, updatedAt: json.updatedAt })
    assert.deepEqual((await send('PATCH', `/campaigns/${id}`, {})).json, json)
  })

  test('is judged by the state of the campaign, which it names', async () => {
    const { tenant, send } = await world()
    const id = await draft(send, { startAt: later() })
    const paced = { name: 'Other', messagesPerSecond: 7 }
    const changes = [
      { variables: {} },
      { template: { name: 'hello', language: 'en_US' } },
      { numberId: encodeId('number', tenant.numberId) },
      { startAt: later() },
    ]
    for (const status of campaignStatuses) {
      await putInto(sql, id, status)
      const answers = await Promise.all(
        [paced, ...changes].map((change) => send('PATCH', `/campaigns/${id}`, change)),
      )
      const allowed = ['DRAFT', 'SCHEDULED'].includes(status)
      const statuses = answers.map((answer) => answer.status)
      const expected = changes.map(() => (allowed ? 200 : 409))
      assert.deepEqual(statuses, [allowed || status === 'PAUSED' ? 200 : 409, ...expected], status)
      for (const { json } of answers.filter((answer) => answer.status === 409)) {
        assert.equal(json.error.code, 'INVALID_STATE')
        assert.match(json.error.message, new RegExp(`is ${status}\\b`))
      }
    }
  })

  test('does not take its time from a SCHEDULED campaign', async () => {
    const { send } = await world()
    const id = await draft(send, { startAt: later() })
    await putInto(sql, id, 'SCHEDULED')
    assert.equal(
      (await send('PATCH', `/campaigns/${id}`, { startAt: null })).json.error.code,
      'INVALID_STATE',
    )
    assert.equal((await send('PATCH', `/campaigns/${id}`, { startAt: later() })).status, 200)
  })

  test('is started before its time with now, in one step, or keeps its schedule', async () => {
    const { send } = await world()
    const startAt = later()
    const id = await draft(send, { startAt })
    await putInto(sql, id, 'SCHEDULED')
    const refused = await send('POST', `/campaigns/${id}/start?now=true`)
    assert.equal(refused.json.error.code, 'INVALID_STATE', 'it has no recipients')
    const kept = (await send('GET', `/campaigns/${id}`)).json
    assert.deepEqual([kept.status, kept.startAt], ['SCHEDULED', startAt])
    await send('POST', `/campaigns/${id}/recipients`, { recipients: rowsOf(0, 1) })
    assert.equal((await send('POST', `/campaigns/${id}/start`)).json.status, 'SCHEDULED')
    const { json } = await send('POST', `/campaigns/${id}/start?now=true`)
    assert.deepEqual([json.status, json.startAt], ['RUNNING', null])
    assert.deepEqual((await send('POST', `/campaigns/${id}/start?now=true`)).json, json)
  })

  test('refuses defaults that the template does not have, whichever of the two is changed', async () => {
    const { send } = await world()
    const id = await draft(send, { template: offer, variables: { code: 'A1' } })
    const before = (await send('GET', `/campaigns/${id}`)).json
    for (const change of [{ template: { name: 'hello', language: 'en_US' } }, { variables: { x: 'y' } }]) {
      const { json } = await send('PATCH', `/campaigns/${id}`, { name: 'Other', ...change })
      assert.equal(json.error.code, 'TEMPLATE_VARIABLES_MISMATCH')
    }
    assert.deepEqual((await send('GET', `/campaigns/${id}`)).json, before)
  })

  test('two at once never leave defaults that their template does not have', async () => {
    const { tenant, send } = await world()
    await addTemplate(sql, tenant, 'short', 'Use {{code}}')
    for (let round = 0; round < 10; round += 1) {
      const id = await draft(send, { template: offer })
      const answers = await Promise.all([
        send('PATCH', `/campaigns/${id}`, { template: { ...offer, name: 'short' } }),
        send('PATCH', `/campaigns/${id}`, { variables: { first_name: 'Ines' } }),
      ])
      assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422])
    }
  })
})

describe('DELETE /campaigns/:id', () => {
  test('is for drafts and for what has ended; after it there is no such campaign', async () => {
    const { send } = await world()
    for (const status of campaignStatuses) {
      const id = await draft(send)
      await putInto(sql, id, status)
      const answer = await send('DELETE', `/campaigns/${id}`)
      if (['DRAFT', 'COMPLETED', 'CANCELLED'].includes(status)) {
        assert.deepEqual([answer.status, answer.text], [204, ''], status)
        assert.equal((await send('GET', `/campaigns/${id}`)).status, 404)
        assert.equal((await send('DELETE', `/campaigns/${id}`)).status, 404)
      } else {
        assert.deepEqual([answer.status, answer.json.error.code], [409, 'INVALID_STATE'], status)
        assert.match(answer.json.error.message, new RegExp(`is ${status}\\b`))
      }
    }
  })
})

describe('another workspace', () => {
  test('finds none of it: its ids are as unknown as ones that do not exist', async () => {
    const [{ send }, stranger] = [await world(), await world()]
    const id = await draft(send)
    const { json } = await send('POST', `/campaigns/${id}/recipients`, {
      recipients: [{ to: '+15551230001' }],
    })
    assert.equal(json.added, 1)
    const rows = { recipients: [{ to: '+15551230002' }] }
    const asked = (known: string): [method: string, path: string, body?: unknown][] => [
      ['GET', `/campaigns/${known}`],
      ['GET', `/campaigns/${known}/recipients`],
      ['PATCH', `/campaigns/${known}`, { name: 'Mine' }],
      ['POST', `/campaigns/${known}/recipients`, rows],
      ['DELETE', `/campaigns/${known}/recipients`, { all: true }],
      ['DELETE', `/campaigns/${known}`],
    ]
    const without = ({ error }: { error: { requestId?: string } }) => ({ ...error, requestId: '' })
    const unknown = asked(encodeId('campaign', newId('campaign')))
    for (const [index, request] of asked(id).entries()) {
      const theirs = await stranger.send(...request)
      const nobodys = await stranger.send(...(unknown[index] ?? request))
      assert.equal(theirs.status, 404, request.join(' '))
      assert.deepEqual(without(theirs.json), without(nobodys.json))
    }
    assert.equal((await send('GET', `/campaigns/${id}`)).json.counts.pending, 1)
    assert.deepEqual((await stranger.send('GET', '/campaigns')).json.data, [])
  })
})
