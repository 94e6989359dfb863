// Looks at Postgres and at the scheduler while a run goes on, for --tail.
import { readFileSync } from 'node:fs'
import type { Pool } from '../../src/platform/postgres/sql.ts'
import { readRecorded } from './hops.ts'
import { nowNs } from './monotonic.ts'
import type { Interval } from './tail.ts'

/** A sample stands for the time since the one before it, in which nobody looked. */
const periodMs = 5
/** So much of the time since the last sample that a process could run, and did not. */
const waitingShare = 0.2

interface Backend {
  readonly pid: number
  readonly application: string
  readonly kind: string
  readonly waitType: string | null
  readonly wait: string | null
}

/** What a backend says of a moment; undefined for what delays nobody. */
export function causeOf({ application, kind, waitType, wait }: Omit<Backend, 'pid'>): string | undefined {
  if (kind === 'autovacuum worker') return 'Postgres: autovacuum'
  if (kind === 'checkpointer')
    return waitType === null || waitType === 'IO' ? 'Postgres: checkpoint writes' : undefined
  if (kind !== 'client backend') return undefined
  if (waitType === 'Lock') return 'Postgres: lock of a row or table'
  if (/^wal/i.test(wait ?? '')) return 'Postgres: write-ahead log (fsync)'
  if (waitType === 'IO') return 'Postgres: reads or writes data'
  if (waitType === 'LWLock') return 'Postgres: lock inside the server'
  return application === 'switchboard-worker' ? "a worker's statement" : undefined
}

export interface Sampled {
  readonly sql: Pool
  /** Processes by what they are called in the table. */
  readonly processes: ReadonlyMap<number, string>
  /** Where gateways and workers give what they recorded themselves. */
  readonly recorders: readonly string[]
}

/** Starts to look. The returned function stops, and gives what was seen. */
export function sampleTail({ sql, processes, recorders }: Sampled): () => Promise<Interval[]> {
  const intervals: Interval[] = []
  const scheduler = runQueues(processes)
  let isOver = false
  let beforeNs = nowNs()
  const look = async (): Promise<void> => {
    const rows = await sql<Backend[]>`
      select pid, application_name as application, backend_type as kind, wait_event_type as wait_type, wait_event as wait
      from pg_stat_activity
      where pid <> pg_backend_pid()
        and (state = 'active' or backend_type in ('autovacuum worker', 'checkpointer') or wait_event_type = 'Lock')`
    const toNs = nowNs()
    const backends = rows.filter(({ kind }) => kind === 'client backend').map(({ pid }) => pid)
    const causes = [...rows.map(causeOf), ...scheduler(backends, toNs)]
    for (const cause of new Set(causes)) if (cause) intervals.push({ cause, fromNs: beforeNs, toNs })
    beforeNs = toNs
  }
  const looking = (async () => {
    while (!isOver) {
      await look()
      await new Promise((resolve) => setTimeout(resolve, periodMs))
    }
  })()
  return async () => {
    isOver = true
    await looking
    const own = await Promise.all(recorders.map((path) => readRecorded<Interval>(path, '/tail')))
    return [...intervals, ...own.flat()]
  }
}

/** Who waited for a core although it could run. Backends of Postgres come and go. */
function runQueues(processes: ReadonlyMap<number, string>) {
  const before = new Map<number, { waited: number; atNs: number }>()
  return (backends: readonly number[], atNs: number): string[] => {
    const named = new Map(processes)
    for (const pid of backends) named.set(pid, 'Postgres')
    return [...named].flatMap(([pid, name]) => {
      const waited = waitedNs(pid)
      const last = before.get(pid)
      if (waited === undefined) return []
      before.set(pid, { waited, atNs })
      // A backend is looked at only while it works: it may have waited long before the last sample.
      const isWaiting = last !== undefined && waited - last.waited > (atNs - last.atNs) * waitingShare
      return isWaiting ? [`no core free: ${name}`] : []
    })
  }
}

/** Time of its main thread on a run queue; undefined where the kernel does not tell. */
function waitedNs(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1])
  } catch {
    return undefined
  }
}
