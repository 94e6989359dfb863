// Lets one start run in a data folder, on ports that are its own: a second one would write into the logs of the first,
// take its processes for its own, and join its cluster for a moment.
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from '../platform/config/settings.ts'
import { isTaken } from './embedded/ports.ts'
import { lockForLife } from './embedded/start-lock.ts'

const loopback = '127.0.0.1'
/** Beyond DRAIN_TIMEOUT and its overtime, after which a gateway exits. */
const longestDrainMs = 35_000

/** Empty counts as unset, as for the gateway, which would listen on every address then. */
export const ownHost = (environment = process.env): string => environment['HOST'] || loopback

/** Throws what the user can do. Otherwise the folder is this process's until it ends. */
export async function beTheOnlyStart(
  settings: Pick<Settings, 'DATA_DIR' | 'PORT' | 'SIM_PORT'>,
  host = ownHost(),
): Promise<void> {
  const dataDir = resolve(settings.DATA_DIR)
  mkdirSync(dataDir, { recursive: true })
  const other = lockForLife(dataDir, 'start')
  if (other)
    throw new Error(
      `Switchboard already runs in this folder (process ${other.pid}): use it, or end it with Ctrl-C first. ` +
        'A second one beside it needs a DATA_DIR, PORT and SIM_PORT of its own.',
    )
  await mustBeFree('PORT', settings.PORT, host)
  await mustBeFree('SIM_PORT', settings.SIM_PORT, loopback)
}

async function mustBeFree(name: 'PORT' | 'SIM_PORT', port: number, host: string): Promise<void> {
  if (port === 0 || !(await isTaken(port, host))) return
  if ((await isLeaving(port)) && (await becomesFree(port, host))) return
  throw new Error(`another program has port ${port}: set ${name} to a free one.`)
}

/** The gateway of a start that was killed: it drains, without the servers that ended with the start. */
const isLeaving = (port: number): Promise<boolean> =>
  fetch(`http://${loopback}:${port}/readyz`, { signal: AbortSignal.timeout(1_000) }).then(
    ({ status }) => status === 503,
    () => false,
  )

async function becomesFree(port: number, host: string): Promise<boolean> {
  process.stdout.write(`port ${port} is free as soon as the gateway of an earlier start has ended: waiting\n`)
  const deadline = performance.now() + longestDrainMs
  while (performance.now() < deadline) {
    if (!(await isTaken(port, host))) return true
    await sleep(100)
  }
  return false
}
