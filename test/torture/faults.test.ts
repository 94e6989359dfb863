// Faults of processes, hosts, lines and servers under a steady load, on three gateways behind HAProxy. Each is
// a row of the table at the end. FAULTS=all runs all of them, FAULTS=redis-killed-20s,owner-killed those.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { after, before, type TestContext, test } from '../support/harness.ts'
import { settled } from './faults/calm.ts'
import { openCluster } from './faults/cluster.ts'
import { type Figures, figuresOf } from './faults/figures.ts'
import { findHaproxy } from './faults/haproxy.ts'
import { startLoad } from './faults/load.ts'
import { type FaultyPostgres, startFaultyPostgres } from './faults/postgres.ts'
import { type Allowance, type Row, rows } from './faults/rows.ts'
import { tableOf } from './faults/table.ts'

const wanted = process.env['FAULTS'] ?? ''
const artifacts = fileURLToPath(new URL('../artifacts', import.meta.url))
/** A second each, over all receivers together. */
const RATES = { texts: 24, calls: 3, sends: 4 }
const WARM_MS = 3_000
/** The load goes on for so long after the heal, so that what is late shows. */
const AFTER_MS = 5_000

function chosen(): readonly Row[] {
  if (wanted === '') return rows.filter(({ isQuick }) => isQuick)
  if (wanted === 'all') return rows
  return wanted.split(',').map((name) => {
    const row = rows.find((one) => one.name === name)
    if (!row) throw new Error(`no row is named ${name}; there are: ${rows.map((one) => one.name).join(', ')}`)
    return row
  })
}

const figures = new Map<string, Figures>()
let haproxy = ''
let postgres: FaultyPostgres
before(async () => {
  haproxy = await findHaproxy()
  postgres = await startFaultyPostgres()
})
after(() => postgres?.stop())

/** Does the row on a cluster of its own; returns what it did to the load. */
async function suffer(row: Row, t: TestContext): Promise<Figures> {
  const { env = {}, isDeployment = false } = row
  const balancer = { retries: isDeployment ? 0 : 2, cutsRequests: !isDeployment }
  const cluster = await openCluster({ haproxy, postgres, balancer, env })
  const load = startLoad(cluster, RATES)
  try {
    await sleep(WARM_MS)
    const harmed = row
      .harm(cluster)
      .then((healedAt) => (typeof healedAt === 'number' ? healedAt : Date.now()))
    const healedAt = await harmed.finally(() => sleep(AFTER_MS))
    const done = await load.stop()
    await settled(cluster, { canLose: row.allows.includes('lost events') })
    return await figuresOf(cluster, done, healedAt)
  } catch (error) {
    for (const line of cluster.stack.logs().split('\n')) t.diagnostic(line)
    throw error
  } finally {
    load.abandon()
    await cluster.close()
  }
}

/** What must be nought, unless the row allows it. */
function assertRow({ allows }: Row, { lost, ...figures }: Figures): void {
  const isFirm = (allowance: Allowance) => !allows.includes(allowance)
  if (isFirm('lost events')) assert.deepEqual(lost, [], 'lost events')
  assert.equal(
    figures.isRestored,
    !isFirm('lost events'),
    'a restore that was found, and only where there was one',
  )
  assert.deepEqual(figures.orderBreaks, [], 'order within conversations')
  if (isFirm('two sockets open')) assert.ok(figures.sockets <= 1, 'one socket for each endpoint')
  if (isFirm('silent calls')) assert.deepEqual(figures.silentCalls, [], 'calls that never rang')
  if (isFirm('failed sends')) assert.equal(figures.failedSends, 0, 'failed sends')
  assert.equal(figures.staleFrames, 0, 'frames on a socket after its successor was used')
  assert.equal(figures.sentTwice, 0, 'messages that the provider was asked for twice')
  assert.ok(figures.sent > 0 && figures.calls > 0 && figures.sends > 0, 'there was a load')
}

for (const row of chosen())
  test(row.name, async (t) => {
    const found = await suffer(row, t)
    figures.set(row.name, found)
    for (const line of tableOf(new Map([[row.name, found]]))) t.diagnostic(line)
    for (const line of found.silentCalls) t.diagnostic(`silent: ${line}`)
    assertRow(row, found)
  })

test('the table of all rows', (t) => {
  const table = tableOf(figures)
  for (const line of table) t.diagnostic(line)
  mkdirSync(artifacts, { recursive: true })
  writeFileSync(join(artifacts, 'faults.txt'), `${table.join('\n')}\n`)
})
