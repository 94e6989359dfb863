// Runs every statement that changes the state of a row, from every state of its machine, and checks the
// transitions against the table of the machine.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { canMove } from '../../../src/shared/machine.ts'
import { before, describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { cases } from './cases.ts'
import type { Driven } from './driven.ts'
import { type MachineName, machines, type Observer, observe, type Transition } from './observe.ts'

const sql = testPool(await testDatabase())
const root = fileURLToPath(new URL('../../../', import.meta.url))

const forbidden = ({ machine: name, old, new: to }: Transition): boolean =>
  !canMove(machines[name as MachineName].machine as Readonly<Record<string, string[]>>, old, to)

const shown = ({ machine, old, new: to }: Transition): string => `${machine}: ${old} to ${to}`

describe('the SQL of', () => {
  let observer: Observer
  before(async () => {
    observer = await observe(sql)
  })

  /** The transitions that the statement makes, from every state of its machine. */
  async function drive({ machine, place, run }: Driven): Promise<Transition[]> {
    const moved: Transition[] = []
    for (const state of Object.keys(machines[machine].machine)) {
      const row = await place(sql, state)
      moved.push(...(await observer.during(() => run(sql, row))))
    }
    return moved
  }

  for (const driven of cases)
    test(`${driven.file}: ${driven.name} moves a ${driven.machine} only as its table permits`, async () => {
      const moved = await drive(driven)
      assert.ok(
        moved.some(({ machine }) => machine === driven.machine),
        'the statement moved nothing: it was not driven',
      )
      assert.deepEqual(moved.filter(forbidden).map(shown), [])
    })

  test('a wrong statement is found', async () => {
    const delivery = cases.find(({ machine }) => machine === 'delivery') ?? assert.fail()
    const planted: Driven = {
      ...delivery,
      run: (pool, { id }) =>
        pool`update deliveries set state = 'RETRYING' where id = ${id} and state <> 'HELD'`,
    }
    const found = (await drive(planted)).filter(forbidden).map(shown)
    assert.deepEqual(found.sort(), [
      'delivery: BLOCKED to RETRYING',
      'delivery: DELIVERED to RETRYING',
      'delivery: DISCARDED to RETRYING',
      'delivery: FAILED to RETRYING',
    ])
  })
})

/** An `update` of a table with states that sets a state column, or columns that are listed elsewhere. */
const statement =
  /update\s+(?:messages|recipients|campaigns|deliveries|endpoints|templates|calls|\$\{sql\(nameOf\('deliveries')[^`]*?\bset\b([^`]*?)(?:\bwhere\b|\breturning\b|\bfrom\b|`)/g
const stateColumn = /\b(status|state|send_state|enabled|deleted_at)\s*=|^\s*\$\{/m

test('every file with such a statement is driven', () => {
  const found = new Set<string>()
  for (const name of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts') || /^(simulator|dev|examples)\//.test(name)) continue
    const text = readFileSync(join(root, 'src', name), 'utf8')
    for (const [, set = ''] of text.matchAll(statement)) if (stateColumn.test(set)) found.add(name)
  }
  // A deleted campaign keeps its status.
  found.delete('campaigns/store/campaigns.store.ts')
  // The upsert of templates is an insert, which the pattern does not match.
  found.add('messaging/store/templates.store.ts')
  assert.ok(found.size >= 12, [...found].join(', '))
  assert.deepEqual([...found].sort(), [...new Set(cases.map(({ file }) => file))].sort())
})
