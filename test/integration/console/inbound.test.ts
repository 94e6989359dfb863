import assert from 'node:assert/strict'
import { createInboundElementStore } from '../../../src/platform/postgres/inbound-elements.store.ts'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { addTenant, type Tenant } from '../../support/rows.ts'
import { openWorld } from './console-world.ts'

const world = await openWorld()
const store = createInboundElementStore(world.sql)

async function keep(tenant: Tenant | null, reason: string | null, body = '{"field":"flows"}') {
  const id = newId('element')
  const phoneNumberId = tenant?.phoneNumberId ?? 'pn-of-nobody'
  await store.keepUnlinked([
    {
      ...{ id, field: 'messages', part: 'messages', phoneNumberId, wabaId: null, entryAt: null },
      ...{ reason, people: [], body, fullBytes: null },
    },
  ])
  return encodeId('element', id)
}

describe('what nothing was made of', () => {
  test('is listed to members of its workspace, newest first, by reason and time, with its JSON', async () => {
    const tenant = await addTenant(world.sql)
    const member = await world.as('VIEWER', { workspaceId: tenant.workspaceId })
    const path = `/workspaces/${encodeId('workspace', tenant.workspaceId)}/inbound`
    const first = await keep(tenant, 'unknown')
    const second = await keep(tenant, 'malformed', '{"field":"messages","value":{}}')
    const unneeded = await keep(tenant, 'irrelevant')
    await keep(tenant, null)
    const idsOf = async (query: string) =>
      (await member('GET', `${path}${query}`)).body.data.map(({ id }: { id: string }) => id)
    assert.deepEqual(await idsOf(''), [second, first])
    assert.deepEqual(await idsOf('?reason=unknown'), [first])
    assert.deepEqual(await idsOf('?reason=irrelevant'), [unneeded])
    assert.deepEqual(await idsOf(`?until=${new Date(Date.now() - 3_600_000).toISOString()}`), [])
    assert.deepEqual(await idsOf(`?since=${new Date(Date.now() - 3_600_000).toISOString()}`), [second, first])
    const page = await member('GET', `${path}?limit=1`)
    assert.deepEqual(await idsOf(`?limit=1&cursor=${page.body.nextCursor}`), [first])
    const { body } = await member('GET', `${path}/${second}`)
    const { at, ...rest } = body
    assert.ok(Math.abs(Date.now() - Date.parse(at)) < 3_600_000)
    assert.deepEqual(rest, {
      ...{ id: second, reason: 'malformed', field: 'messages', part: 'messages', number: tenant.number },
      ...{ appliedAt: null, body: '{"field":"messages","value":{}}', fullBytes: null },
      ...{ messageId: null, callId: null },
    })
    assert.equal((await member('GET', `${path}?reason=invented`)).status, 400)
  })

  test('is shown to no other workspace, and nowhere if it names none', async () => {
    const [own, other] = [await addTenant(world.sql), await addTenant(world.sql)]
    const theirs = await keep(other, 'unknown')
    const nobodys = await keep(null, 'unknownNumber')
    const path = `/workspaces/${encodeId('workspace', own.workspaceId)}/inbound`
    const member = await world.as('VIEWER', { workspaceId: own.workspaceId })
    assert.deepEqual((await member('GET', path)).body.data, [])
    for (const id of [theirs, nobodys]) assert.equal((await member('GET', `${path}/${id}`)).status, 404)
    const stranger = await world.as('OWNER', { workspaceId: other.workspaceId })
    assert.equal((await stranger('GET', path)).status, 404)
  })
})
