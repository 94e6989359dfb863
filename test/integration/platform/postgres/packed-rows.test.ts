import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  flag,
  json,
  jsonOrNull,
  number,
  numberOrNull,
  packing,
  text,
  textOrNull,
  time,
  timeOrNull,
  wordOrNull,
} from '../../../../src/platform/postgres/packed-rows.ts'
import { parts } from '../../../../src/platform/postgres/parts.ts'
import { newId } from '../../../../src/shared/ids.ts'
import { describe, test } from '../../../support/harness.ts'
import { testDatabase, testPool } from '../../../support/postgres.ts'

const sql = testPool(await testDatabase())

interface Shape {
  readonly id: string
  readonly other: string | null
  readonly said: string
  readonly name: string | null
  readonly count: number
  readonly size: number | null
  readonly on: boolean
  readonly pairs: unknown
  readonly more: unknown
  readonly at: string
  readonly later: string | null
}

const { columns, rows } = packing<Shape>({
  id: text('r.id'),
  other: wordOrNull('r.other'),
  said: text('r.said'),
  name: textOrNull('r.name'),
  count: number('r.count'),
  size: numberOrNull('r.size'),
  on: flag('r.on'),
  pairs: json('r.pairs'),
  more: jsonOrNull('r.more'),
  at: time('r.at'),
  later: timeOrNull('r.later'),
})

const names = Object.keys(columns) as (keyof Shape)[]

/** Reads rows that stand nowhere, in their order; from a statement of the driver, or one that is composed without it. */
async function packed(given: readonly Shape[], tag: typeof sql = sql): Promise<Shape[]> {
  const from = tag`
    from jsonb_to_recordset(${JSON.stringify(given)}::text::jsonb) as r (
      id uuid, other uuid, said text, name text, count integer, size bigint, "on" boolean, pairs jsonb, more jsonb,
      at timestamptz(3), later timestamptz(3))`
  const all = await rows(sql, from)
  return all.map((row) => Object.fromEntries(names.map((name) => [name, columns[name](row)])) as never)
}

// What Postgres can store, with the characters that separate columns.
const saying = fc
  .array(fc.oneof(fc.constantFrom('\x1f', '\x1e', '=', '"', '\\', '\n', 'null', 'é', '😀'), fc.string()), {
    maxLength: 4,
  })
  .map((parts) => parts.join('').replaceAll('\0', ''))
const uuid = fc.constantFrom(...Array.from({ length: 5 }, () => newId('message') as string))
const instant = fc
  .date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((at) => at.toISOString())
const document = fc.dictionary(
  fc.constantFrom('a', 'b', 'order'),
  fc.oneof(saying, fc.integer(), fc.boolean()),
  {
    noNullPrototype: true,
  },
)
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })

const row: fc.Arbitrary<Shape> = fc.record(
  {
    id: uuid,
    other: orNull(uuid),
    said: saying,
    name: orNull(saying),
    count: fc.integer({ min: -5, max: 2_000_000_000 }),
    size: orNull(fc.maxSafeNat()),
    on: fc.boolean(),
    pairs: document,
    more: orNull(document),
    at: instant,
    later: orNull(instant),
  },
  { noNullPrototype: true },
)

describe('packed rows', () => {
  test('every value comes back as it was, in order, whatever characters the texts hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 6 }), async (given) => {
        assert.deepEqual(await packed(given), given)
        assert.deepEqual(await packed(given, parts as typeof sql), given)
      }),
      { numRuns: 60 },
    )
  })

  test('a text that imitates columns and rows stays a text', async () => {
    const said = ['a', ...Array.from({ length: 10 }, () => 'forged'), 'b'].join('\x1f')
    const given: Shape = {
      ...{ id: newId('message'), other: null, said, name: '', count: 1, size: null, on: true },
      ...{ pairs: {}, more: null, at: '2026-11-22T10:00:00.000Z', later: null },
    }
    assert.deepEqual(await packed([given, { ...given, said: '' }]), [given, { ...given, said: '' }])
  })

  test('a statement that is composed of parts is that of the driver, and is prepared', async () => {
    const [id, other] = [newId('message'), newId('message')]
    const list = (tag: typeof sql) => {
      const by = (name: string) => tag`${tag(name)}.id desc`
      const few = tag`select * from (values (${id}::uuid, 1), (${other}::uuid, 2)) v ("id", "count") where true ${tag``}`
      return tag`from (${few} and v.id = any(${[id, other]}) order by ${by('v')} limit ${tag.unsafe('5')}) r order by ${by('r')}`
    }
    const { columns: shown, rows: read } = packing<{ id: string; count: number }>({
      id: text('r.id'),
      count: number('r.count'),
    })
    const one = await sql.reserve()
    try {
      for (const tag of [sql, parts as typeof sql])
        assert.deepEqual(
          (await read(one, list(tag))).map((row) => [shown.id(row), shown.count(row)]),
          [
            [other, 2],
            [id, 1],
          ],
        )
      const prepared = await one<{ statement: string }[]>`select statement from pg_prepared_statements`
      assert.equal(prepared.filter(({ statement }) => statement.includes('"r".id desc')).length, 1)
    } finally {
      one.release()
    }
  })

  test('times are those of the driver, also in another time zone', async () => {
    const clock = packing<{ at: string }>({ at: time('r.at') })
    for (const zone of ['UTC', 'Asia/Kolkata']) {
      for (const at of ['1999-12-31T23:59:59.999Z', '2026-11-22T10:00:00.100Z', '2026-11-22T10:00:00.010Z']) {
        const read = await sql.begin(async (tx) => {
          await tx`select set_config('timezone', ${zone}, true)`
          const [row] = await tx<{ typed: Date }[]>`select ${at}::timestamptz(3) as typed`
          const [one = []] = await clock.rows(tx, tx`from (select ${at}::timestamptz(3) as at) r`)
          return [clock.columns.at(one), row?.typed.toISOString()]
        })
        assert.deepEqual(read, [at, at])
      }
    }
  })
})
