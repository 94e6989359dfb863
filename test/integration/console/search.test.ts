import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { SearchResult } from '../../../src/contract/records/console.ts'
import { encodeId, type IdKind, newId, type Uuid, type WorkspaceId } from '../../../src/shared/ids.ts'
import { workspace } from '../../support/fixtures.ts'
import { before, describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addEndpoint, emitEvent } from '../../support/rows.ts'
import { type Client, openWorld, type World } from './console-world.ts'
import { searchRows } from './search-rows.ts'

const world: World = await openWorld()
const { sql, workspaceId } = world
const ws = `/workspaces/${world.ws}`
const { addPerson, addMessage, addCall } = searchRows(world)
let viewer: Client

async function search(q: string, as = viewer, place = ws): Promise<SearchResult[]> {
  const reply = await as('GET', `${place}/search?q=${encodeURIComponent(q)}`)
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
  return reply.body.data
}
const titles = async (q: string) => (await search(q)).map(({ title, number }) => title ?? number)
const ids = (results: readonly { id: string }[]) => results.map(({ id }) => id)

describe('search', () => {
  let mia: Awaited<ReturnType<typeof addPerson>>
  let other: WorkspaceId

  before(async () => {
    viewer = await world.as('VIEWER')
    other = await world.addWorkspace('Other')
    mia = await addPerson(workspaceId, {
      ...{ address: '4915112345678', name: 'Mía-Anna  KELLER', username: 'mia.k', userId: 'DE.777000111' },
      aliases: ['DE.777000111', '4930998877'],
    })
    await addPerson(workspaceId, { address: '15557000101', name: 'Miamar Diaz' })
    await addPerson(workspaceId, { address: 'US.13491208655302741918', name: 'Øyvind Лев' })
    await addPerson(workspaceId, { address: '15557999999' })
    // The same person, known to somebody else too.
    await addPerson(other, { address: '4915112345678', name: 'Mia Keller', username: 'mia.k' })
  })

  test('contacts are found by the beginning of any word, in any case, with or without accents', async () => {
    for (const typed of ['mia-anna', 'MÍA', 'mia anna kel', 'keller', 'Anna K', ' kEll ', '@mia.k', 'mia.'])
      assert.ok((await titles(typed)).includes('Mía-Anna  KELLER'), typed)
    for (const typed of ['oyv', 'ØYV', 'лев', 'ЛЕВ'])
      assert.deepEqual(await titles(typed), ['Øyvind Лев'], typed)
    // Nothing begins so, and signs alone are no name.
    for (const typed of ['eller', 'keller anna', '!?', '%', '_', "'"])
      assert.deepEqual(await search(typed), [], typed)
    const [found] = await search('keller')
    assert.deepEqual(found, {
      ...{ kind: 'contact', id: encodeId('conversation', mia.conversationId), title: 'Mía-Anna  KELLER' },
      ...{ number: '+4915112345678', detail: '@mia.k', status: null, at: found?.at },
      link: `/conversations/${encodeId('conversation', mia.conversationId)}`,
    })
  })

  test('contacts are found by any spelling of a number, by its first and by its last digits', async () => {
    for (const typed of [
      ...['4915112345678', '+4915112345678', '+49 (0)151 123-456-78', '00 49 151 12345678', '0151/12345678'],
      ...['491511', '+49 15', '45678', '5678', '+49 30 99', '998877'],
    ])
      assert.deepEqual((await titles(typed)).slice(0, 1), ['Mía-Anna  KELLER'], typed)
    // A country code is the beginning.
    assert.deepEqual(await titles('00101'), ['Miamar Diaz'])
    assert.deepEqual(await titles('+5678'), [])
    assert.deepEqual(await titles('7999999'), ['+15557999999'])
  })

  test('of several, an exact match comes first, then those with whom there was contact last', async () => {
    assert.deepEqual(await titles('mia'), ['Miamar Diaz', 'Mía-Anna  KELLER'])
    assert.deepEqual((await titles('miamar diaz'))[0], 'Miamar Diaz')
    assert.deepEqual((await titles('1555')).slice(0, 2), ['+15557999999', 'Miamar Diaz'])
  })

  test('a user id, whole or its last characters, finds who hides the number', async () => {
    assert.deepEqual(await titles('US.13491208655302741918'), ['Øyvind Лев'])
    assert.deepEqual(await titles('DE.777000111'), ['Mía-Anna  KELLER'])
    assert.deepEqual(await titles('2741918'), ['Øyvind Лев'])
  })

  test('ids of every kind, whole or begun, lead to the page that shows the record', async () => {
    const messageId = await addMessage(mia.conversationId)
    const callId = await addCall(mia.conversationId, 'wacid.A')
    const rows: [IdKind, Uuid, string][] = [
      ['conversation', mia.conversationId, 'conversations'],
      ['message', messageId, 'messages'],
      ['call', callId, 'calls'],
    ]
    for (const [kind, uuid, page] of rows) {
      const id = encodeId(kind, uuid)
      for (const typed of [id, ` "${id}",`, id.toUpperCase(), id.slice(0, -4)]) {
        const found = await search(typed)
        assert.deepEqual([found.length, found[0]?.id, found[0]?.link], [1, id, `/${page}/${id}`], typed)
      }
    }
    const [message] = await search(encodeId('message', messageId))
    assert.equal(message?.title, 'Template to Mía-Anna  KELLER')
    assert.ok(!JSON.stringify(message).includes('secret text'))
    for (const typed of [
      'msg_',
      'msg_01',
      encodeId('message', newId('message')),
      encodeId('workspace', workspaceId),
    ])
      assert.deepEqual(await search(typed), [], typed)
  })

  test('an event leads to its deliveries, and a delivery to itself', async () => {
    const endpointId = await addEndpoint(sql, workspaceId)
    const [delivery] = await emitEvent(sql, workspaceId, { routedTo: endpointId })
    assert.ok(delivery)
    const id = encodeId('delivery', delivery.deliveryId as Uuid<'delivery'>)
    for (const typed of [id, encodeId('event', delivery.eventId as Uuid<'event'>)]) {
      const [found] = await search(typed)
      assert.deepEqual(
        [found?.id, found?.title, found?.detail, found?.status, found?.link],
        [id, 'message.status', 'orders', 'PENDING', `/deliveries/${id}`],
      )
    }
  })

  test('ids of the provider and keys of requests are found, the keys of sends while they are typed', async () => {
    const byKey = encodeId(
      'message',
      await addMessage(mia.conversationId, { key: 'parcel-9_a/812', providerId: 'wamid.HBgL' }),
    )
    const callId = encodeId('call', await addCall(mia.conversationId, 'wacid.B7'))
    await sql`
      insert into request_keys (workspace_id, kind, key, hash, resource_id)
      select ${workspaceId}, 'call', 'ring-1', '', id from calls where wacid = 'wacid.B7'`
    for (const typed of ['parcel-9_a/812', 'parcel-9_a/8', 'parcel-9', 'parcel-', 'parcel', 'wamid.HBgL'])
      assert.deepEqual(ids(await search(typed)), [byKey], typed)
    assert.equal((await search('parcel-9'))[0]?.detail, 'parcel-9_a/812')
    assert.deepEqual(ids(await search('wacid.B7')), [callId])
    assert.deepEqual(ids(await search('ring-1')), [callId])
    for (const typed of ['Parcel-9', 'arcel-9', 'parcel-9_a/813', 'wamid.hbgl'])
      assert.deepEqual(await search(typed), [], typed)
  })

  test('campaigns, templates, endpoints, keys, numbers and members are found by name', async () => {
    const campaignId = newId('campaign')
    await sql`
      insert into campaigns (id, workspace_id, name, template_name, template_language)
      values (${campaignId}, ${workspaceId}, 'Spring sale', 'offer', 'en_US')`
    await sql`
      insert into templates (id, workspace_id, name, language, category, status, components)
      values (${newId('template')}, ${workspaceId}, 'spring_offer', 'en_US', 'MARKETING', 'APPROVED', '[]')`
    await sql`
      insert into endpoints (id, workspace_id, name, url, events, secret)
      values (${newId('endpoint')}, ${workspaceId}, 'Spring CRM', 'https://hooks.blossom.example/in', '{}', 's')`
    await sql`
      insert into api_keys (id, workspace_id, name, prefix, secret_hash, scopes)
      values (${newId('key')}, ${workspaceId}, 'Spring shop', 'Abc123XYZ0', '', '{}')`
    await sql`update numbers set display_name = 'Spring line' where id = ${mia.numberId}`
    const found = await search('spring')
    assert.deepEqual(
      found.map(({ kind, title, link }) => [kind, title, link.split('/')[1]]),
      [
        ['campaign', 'Spring sale', 'campaigns'],
        ['template', 'spring_offer', 'templates'],
        ['endpoint', 'Spring CRM', 'endpoints'],
        ['key', 'Spring shop', 'keys'],
        ['number', 'Spring line', 'numbers'],
      ],
    )
    assert.deepEqual(await titles('spring_off'), ['spring_offer'])
    assert.deepEqual(await titles('hooks.blossom'), ['Spring CRM'])
    for (const typed of ['Abc123XYZ0', 'ck_test_Abc123XYZ0', `ck_test_Abc123XYZ0_${'s'.repeat(43)}`])
      assert.deepEqual(await titles(typed), ['Spring shop'], typed)
    assert.deepEqual((await search('+1555800'))[0]?.kind, 'number')
    assert.equal((await search('viewer')).find(({ kind }) => kind === 'member')?.link, '/members')
    // What was renamed or deleted is found no more.
    await sql`update campaigns set name = 'Autumn' where id = ${campaignId}`
    assert.deepEqual(ids(await search('spring sale')), [])
    assert.deepEqual(ids(await search('autumn')), [encodeId('campaign', campaignId)])
    await sql`update campaigns set deleted_at = now() where id = ${campaignId}`
    assert.deepEqual(await search('autumn'), [])
  })

  test('the query of the URL of an endpoint is shown to admins alone, and finds it for nobody', async () => {
    const id = newId('endpoint')
    await sql`
      insert into endpoints (id, workspace_id, name, url, events, secret)
      values (${id}, ${workspaceId}, 'Harbour', 'https://quay.example/in?token=Lighthouse7', '{}', 's')`
    const admin = await world.as('ADMIN')
    for (const typed of ['harbour', 'quay.example', encodeId('endpoint', id)]) {
      const details = async (as: Client) => (await search(typed, as)).map(({ detail }) => detail)
      assert.deepEqual(await details(viewer), ['https://quay.example/in?***'], typed)
      assert.deepEqual(await details(await world.as('AGENT')), ['https://quay.example/in?***'], typed)
      assert.deepEqual(await details(admin), ['https://quay.example/in?token=Lighthouse7'], typed)
    }
    for (const as of [viewer, admin])
      for (const typed of ['token', 'lighthouse', 'in token lighthouse7'])
        assert.deepEqual(await search(typed, as), [], typed)
    await sql`update endpoints set deleted_at = now() where id = ${id}`
    assert.deepEqual(await search(encodeId('endpoint', id), admin), [])
  })

  test('the words of queries that were found before are gone after the migration', async () => {
    const read = (name: string) =>
      readFile(new URL(`../../../src/platform/postgres/migrations/${name}`, import.meta.url), 'utf8')
    const [earlier] = /create function searched_texts[^;]+;/.exec(await read('0052_search.sql')) ?? []
    assert.ok(earlier)
    const old = testPool(await testDatabase())
    await old.unsafe(earlier.replace('create function', 'create or replace function'))
    const ws = await workspace(old)
    const id = newId('endpoint')
    await old`
      insert into endpoints (id, workspace_id, name, url, events, secret)
      values (${id}, ${ws}, 'Harbour', 'https://quay.example/in?token=Lighthouse7', '{}', 's')`
    const terms = async () =>
      (
        await old<{ term: string }[]>`select term from search_terms where subject_id = ${id} order by term`
      ).map(({ term }) => term)
    assert.ok((await terms()).includes('lighthouse7'))
    await old.unsafe(await read('0080_endpoints_without_query.sql'))
    assert.deepEqual(await terms(), [
      'example in',
      'harbour',
      'https quay example in',
      'in',
      'quay example in',
    ])
  })

  test('each kind has at most five', async () => {
    for (let more = 0; more < 7; more += 1) {
      const { conversationId } = await addPerson(workspaceId, {
        address: `3360000000${more}`,
        name: `Zoe ${more}`,
      })
      await addMessage(conversationId, { key: `zoe-${more}` })
    }
    const found = await search('zoe')
    assert.deepEqual([found.length, new Set(ids(found)).size], [10, 10])
    assert.equal(found[0]?.title, 'Zoe 6')
  })

  test('a contact who was renamed, erased or merged is not found by the old name', async () => {
    const { id } = await addPerson(workspaceId, { address: '34600111222', name: 'Quentin Before' })
    await sql`update contacts set name = 'Quentin After' where id = ${id}`
    assert.deepEqual(await search('before'), [])
    assert.deepEqual(await titles('after'), ['Quentin After'])
    await sql`update contacts set name = null, wa_id = 'erased:' || id, erased_at = now() where id = ${id}`
    for (const typed of ['quentin', '34600111222', '111222']) assert.deepEqual(await search(typed), [], typed)
    const left = await sql`select from search_terms where subject_id = ${id}`
    assert.equal(left.count, 0)
  })

  test('another workspace finds its own records and none of these', async () => {
    const stranger = await world.as('OWNER', { workspaceId: other })
    const place = `/workspaces/${encodeId('workspace', other)}`
    const messageId = await addMessage(mia.conversationId, { key: 'mine-1', providerId: 'wamid.MINE' })
    for (const typed of [
      ...[
        encodeId('message', messageId),
        encodeId('conversation', mia.conversationId),
        'mine-1',
        'wamid.MINE',
      ],
      ...['spring', 'Abc123XYZ0', 'viewer', 'Miamar', 'DE.777000111'],
    ])
      assert.deepEqual(await search(typed, stranger, place), [], typed)
    const own = await search('5678', stranger, place)
    assert.deepEqual(
      own.map(({ title }) => title),
      ['Mia Keller'],
    )
    assert.equal((await stranger('GET', `${ws}/search?q=mia`)).status, 404)
  })

  test('a search without words, or of a whole page, is refused', async () => {
    for (const query of ['', '?q=', '?q=%20', `?q=${'x'.repeat(201)}`, '?q=a&kind=b', '?q=%00'])
      assert.equal((await viewer('GET', `${ws}/search${query}`)).status, 400, query)
  })

  test('names from before are found after the migration, however often it runs', async () => {
    await sql`delete from search_terms`
    assert.deepEqual(await search('keller'), [])
    for (let run = 0; run < 2; run += 1) await sql`call index_earlier_terms('contacts', 'contact')`
    assert.deepEqual(await titles('keller'), ['Mía-Anna  KELLER'])
  })
})
