import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive, type ProcessIdentity, signal } from './process-table.ts'

/** The owner, the server process and its URL. The URL contains the password, so the file has mode 0600. */
export type RunRecord = Readonly<{ owner: ProcessIdentity; server: ProcessIdentity; url: string }>

export function readRun(path: string): RunRecord | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as RunRecord
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

export function writeRun(path: string, record: RunRecord): void {
  // The rename is atomic: after a crash, a reader sees the complete new record or the previous one.
  writeFileSync(`${path}.new`, JSON.stringify(record), { mode: 0o600 })
  renameSync(`${path}.new`, path)
}

/** Stops leftover processes, with SIGKILL after 10 s. Resolves when the last one has exited. */
export async function endProcesses(left: readonly ProcessIdentity[], name: NodeJS.Signals): Promise<void> {
  const deadline = performance.now() + 10_000
  for (const one of left) signal(one, name)
  while (left.some(isAlive)) {
    if (performance.now() > deadline) for (const one of left) signal(one, 'SIGKILL')
    await sleep(5)
  }
}
