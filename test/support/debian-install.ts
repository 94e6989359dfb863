// Installs a Debian package on this machine, for programs that expect their usual paths.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const APT_MS = 110_000

/** Throws unless root runs it. */
export async function installDebian(packageName: string): Promise<void> {
  if (process.getuid?.() !== 0) throw new Error('only root can install it')
  const options = { timeout: APT_MS, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }
  // One unreachable third-party source fails the whole update, although the other lists have arrived.
  await run('apt-get', ['update', '-q'], options).catch(() => undefined)
  await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', packageName], options)
}
