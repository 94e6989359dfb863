import assert from 'node:assert/strict'
import type * as v from 'valibot'
import { table } from '../../../src/api/table.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { gateway } from './gateway.ts'
import { type List, lists, scopes } from './lists.ts'

const sql = testPool(await testDatabase())
const { call, keyFor } = gateway(sql)

async function reading(make: (sql: Parameters<typeof gateway>[0]) => Promise<List>) {
  const list = await make(sql)
  const key = await keyFor(list.workspaceId, scopes)
  const ask = (query: string) => call(key, { path: `${list.path}?${query}` })
  const ids = async (query: string): Promise<string[]> => {
    const { status, json } = await ask(query)
    assert.equal(status, 200, `${query}: ${JSON.stringify(json)}`)
    return json.data.map(({ id }: { id: string }) => id)
  }
  const query = (names: readonly string[]) =>
    names.map((name) => `${list.filters[name]?.parameter ?? name}=${list.filters[name]?.value}`).join('&')
  const kept = (names: readonly string[]) =>
    list.rows.filter((row) => names.every((name) => list.filters[name]?.keeps(row))).map(({ id }) => id)
  return { list, ask, ids, query, kept, names: Object.keys(list.filters) }
}

/** `updatedSince` makes another list of it: see below. */
const notFilters = ['limit', 'cursor', 'updatedSince']

/** The filters that take several values. */
const ofSeveral = [
  ...['status', 'type', 'conversationId', 'contact', 'numberId', 'campaignId'],
  ...['name', 'language', 'category', 'to'],
]

/** The filters that a route declares. */
function declared(path: string): string[] {
  const pattern = path.replace(/cmp_\w+/, ':id')
  const { query } = table.find((row) => row.method === 'GET' && row.path === pattern) ?? {}
  const { entries } = query as unknown as v.StrictObjectSchema<v.ObjectEntries, undefined>
  return Object.keys(entries).filter((name) => !notFilters.includes(name))
}

for (const [name, make] of Object.entries(lists))
  describe(`the list of ${name}`, () => {
    test('every filter of the route keeps what it names and leaves out the rest, alone', async () => {
      const { list, ids, query, kept, names } = await reading(make)
      assert.deepEqual(names.toSorted(), declared(list.path).toSorted())
      assert.deepEqual(
        await ids('limit=200'),
        list.rows.map(({ id }) => id),
      )
      for (const one of names) {
        const expected = kept([one])
        assert.ok(expected.length > 0 && expected.length < list.rows.length, one)
        assert.deepEqual(await ids(query([one])), expected, one)
      }
    })

    test('any two of them, and all together, keep what each keeps', async () => {
      const { ids, query, kept, names } = await reading(make)
      const pairs = names.flatMap((one, index) => names.slice(index + 1).map((other) => [one, other]))
      for (const some of [...pairs, names]) assert.deepEqual(await ids(query(some)), kept(some), String(some))
      if (names.length > 1) assert.ok(kept(names).length > 0)
    })

    test('several values of one filter keep what any of them keeps, in the order of the list and on pages', async () => {
      const { list, ask, ids, kept, names } = await reading(make)
      for (const one of names.filter((each) => ofSeveral.includes(each))) {
        const facts = (id: string | undefined) => list.rows.find((row) => row.id === id)?.[one] as string
        const first = facts(kept([one])[0])
        const other = facts(list.rows.find((row) => row[one] && row[one] !== first)?.id)
        const expected = list.rows.filter((row) => row[one] === first || row[one] === other)
        const query = `${one}=${first},${other},${first}`
        assert.deepEqual(
          await ids(`${query}&limit=200`),
          expected.map(({ id }) => id),
          query,
        )
        const { json } = await ask(`${query}&limit=1`)
        assert.deepEqual(await ids(`${query}&limit=1&cursor=${json.nextCursor}`), [expected[1]?.id], query)
        const { status } = await ask(`${one}=${Array.from({ length: 21 }, (_, n) => `${first}${n}`).join()}`)
        assert.equal(status, 400)
      }
    })

    test('a value that is none, and a filter named twice, are VALIDATION_ERROR of its name', async () => {
      const { list, ask, names } = await reading(make)
      for (const one of names) {
        const { value, wrong, parameter = one } = list.filters[one] ?? assert.fail()
        for (const bad of [
          ...wrong.map((text) => `${parameter}=${encodeURIComponent(text)}`),
          `${parameter}=${value}&${parameter}=${value}`,
        ]) {
          const { status, json } = await ask(bad)
          const paths = json.error?.details?.map(({ path }: { path: string }) => path)
          assert.deepEqual([status, json.error?.code, paths], [400, 'VALIDATION_ERROR', [parameter]], bad)
          assert.ok(json.error.message.startsWith(`${parameter} must `), bad)
        }
      }
      const { json } = await ask('limit=x&cursor=%00&colour=red')
      assert.equal(json.error.code, 'VALIDATION_ERROR')
      assert.ok(json.error.details.some(({ path }: { path: string }) => path === 'colour'))
    })

    test('pages hold every row once and in order, while rows are being added', async () => {
      const { list, ask } = await reading(make)
      const seen: string[] = []
      const expected = list.rows.map(({ id }) => id)
      for (let next = ''; ; ) {
        const { status, json } = await ask(`limit=1${next}`)
        assert.equal(status, 200)
        assert.ok(json.data.length <= 1)
        seen.push(...json.data.map(({ id }: { id: string }) => id))
        if (json.nextCursor === null) break
        next = `&cursor=${json.nextCursor}`
        const added = seen.length <= 3 ? await list.add() : undefined
        if (added !== undefined) expected.push(added)
      }
      assert.deepEqual(seen, expected)
    })
  })

for (const name of ['messages', 'calls', 'conversations', 'campaigns'] as const)
  describe(`the list of ${name} by change`, () => {
    test('has every row, on pages that are continued with its own cursors only', async () => {
      const { list, ask } = await reading(lists[name])
      const since = 'updatedSince=2026-01-01T00:00:00Z'
      const seen: string[] = []
      for (let next = ''; ; ) {
        const { status, json } = await ask(`${since}&limit=3${next}`)
        assert.equal(status, 200)
        assert.ok(Date.parse(json.updatedUntil) <= Date.now())
        seen.push(...json.data.map(({ id }: { id: string }) => id))
        if (json.nextCursor === null) break
        const cursor = `cursor=${json.nextCursor}`
        assert.equal((await ask(cursor)).json.error.details[0].path, 'cursor')
        next = `&${cursor}`
      }
      assert.deepEqual(seen.toSorted(), list.rows.map(({ id }) => id).toSorted())
      const { json } = await ask('limit=1')
      assert.equal('updatedUntil' in json, false)
      assert.equal((await ask(`${since}&cursor=${json.nextCursor}`)).status, 400)
      assert.equal((await ask('updatedSince=yesterday')).json.error.details[0].path, 'updatedSince')
    })
  })
