import { randomBytes } from 'node:crypto'
import { linkSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { identifySelf, isAlive, type ProcessIdentity } from './process-table.ts'

const POLL_MS = 10

/**
 * Lets one process work at a time, also after crashes. The lock is the file with the highest number. It is
 * free when it is empty or its writer is dead. Numbers only grow, and link(2) fails on an existing one, so
 * that two processes never both take the lock of a dead holder.
 */
export async function withStartLock<T>(
  dir: string,
  name: string,
  waitMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const held = await acquire(dir, `${name}.lock.`, waitMs)
  try {
    return await work()
  } finally {
    // Empty the file and do not remove it: its number must stay taken.
    truncateSync(held, 0)
  }
}

/** Takes the lock until this process ends. Returns who has it, if another process does. */
export function lockForLife(dir: string, name: string): ProcessIdentity | null {
  const prefix = `${name}.lock.`
  for (;;) {
    const top = highest(dir, prefix)
    const holder = top === 0 ? null : holderOf(join(dir, `${prefix}${top}`))
    if (holder) return holder
    if (take(dir, prefix, top + 1)) return null
  }
}

async function acquire(dir: string, prefix: string, waitMs: number): Promise<string> {
  const deadline = performance.now() + waitMs
  for (;;) {
    const top = highest(dir, prefix)
    if (top === 0 || !holderOf(join(dir, `${prefix}${top}`))) {
      const held = take(dir, prefix, top + 1)
      if (held) return held
    }
    if (performance.now() > deadline) throw new Error(`another process holds ${join(dir, prefix)}${top}`)
    await sleep(POLL_MS)
  }
}

function take(dir: string, prefix: string, number: number): string | null {
  const path = join(dir, `${prefix}${number}`)
  const draft = join(dir, `.${prefix}${randomBytes(6).toString('hex')}`)
  writeFileSync(draft, JSON.stringify(identifySelf()), { mode: 0o600 })
  try {
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null
    throw error
  } finally {
    rmSync(draft)
  }
  // If this process was slow, others may already have used and removed this number. Then a higher one exists.
  if (highest(dir, prefix) > number) {
    rmSync(path)
    return null
  }
  for (const old of numbers(dir, prefix))
    if (old < number) rmSync(join(dir, `${prefix}${old}`), { force: true })
  return path
}

function holderOf(path: string): ProcessIdentity | null {
  const text = readOrEmpty(path)
  if (text === '') return null
  const holder = JSON.parse(text) as ProcessIdentity
  return isAlive(holder) ? holder : null
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

function numbers(dir: string, prefix: string): number[] {
  return readdirSync(dir)
    .filter((file) => file.startsWith(prefix))
    .map((file) => Number(file.slice(prefix.length)))
}

function highest(dir: string, prefix: string): number {
  return Math.max(0, ...numbers(dir, prefix))
}
