// Starts a coturn on loopback, from PATH or from the Debian archive.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { firstWorking } from '../../src/dev/embedded/candidates.ts'
import { unpackDebian, unpackedProgram } from '../../src/dev/embedded/debian-package.ts'
import { type Guarded, spawnGuarded } from '../../src/dev/embedded/guard.ts'
import { lastingPort } from '../e2e/processes.ts'
import { ownFolder, packageCache } from './embedded.ts'
import { PATIENCE_MS } from './patience.ts'

export interface Coturn {
  /** In the form of ICE_SERVERS. */
  readonly url: string
  readonly port: number
  stop(): Promise<void>
}

const debianCoturn = {
  package: 'coturn',
  folder: 'coturn',
  name: 'turnserver',
  binary: 'turnserver',
} as const
const PORT_TRIES = 3

/** The turnserver to run, or the reason why there is none. */
export async function findCoturn(): Promise<{ bin: string } | { reason: string }> {
  const cached = unpackedProgram(debianCoturn, packageCache)
  const candidates = [
    { name: 'turnserver on PATH', find: () => proved('turnserver') },
    { name: 'Debian package, unpacked before', find: () => proved(cached) },
    {
      name: 'Debian package',
      find: () => unpackDebian(debianCoturn, packageCache).then(() => proved(cached)),
    },
  ]
  try {
    return { bin: await firstWorking({ what: 'coturn', candidates, remedy: 'apt-get install coturn' }) }
  } catch (error) {
    return { reason: (error as Error).message }
  }
}

async function proved(bin: string): Promise<string> {
  await promisify(execFile)(bin, ['--version'], { timeout: 10_000 })
  return bin
}

/** Accepts ephemeral credentials under these secrets, and relays to loopback. Ends with the test process. */
export async function startCoturn(bin: string, secrets: readonly string[]): Promise<Coturn> {
  const dir = mkdtempSync(join(ownFolder(), 'coturn-'))
  for (let attempt = 1; ; attempt += 1) {
    const port = await lastingPort()
    const guarded = await launch(bin, { dir, port, secrets })
    if (await answers(port, guarded))
      return {
        url: `turn:127.0.0.1:${port}?transport=udp`,
        port,
        async stop() {
          await guarded.stop()
          rmSync(dir, { recursive: true, force: true })
        },
      }
    await guarded.stop()
    // Another process may have taken the port between the check and the server's bind.
    if (attempt === PORT_TRIES) throw new Error(`coturn did not answer:\n${guarded.output()}`)
  }
}

function launch(
  bin: string,
  { dir, port, secrets }: { dir: string; port: number; secrets: readonly string[] },
): Promise<Guarded> {
  const file = join(dir, 'turnserver.conf')
  const lines = [
    'listening-ip=127.0.0.1',
    'relay-ip=127.0.0.1',
    `listening-port=${port}`,
    'allow-loopback-peers',
    'realm=switchboard.test',
    'use-auth-secret',
    ...secrets.map((secret) => `static-auth-secret=${secret}`),
    ...['no-tls', 'no-dtls', 'no-cli', 'no-tcp', 'no-rfc5780', 'simple-log', 'log-file=stdout'],
    `userdb=${join(dir, 'turndb')}`,
    `pidfile=${join(dir, 'pid')}`,
  ]
  writeFileSync(file, `${lines.join('\n')}\n`, { mode: 0o600 })
  return spawnGuarded({ argv: [bin, '-c', file], stopSignal: 'KILL', logFile: join(dir, 'coturn.log') })
}

/** Whether it answers a STUN binding request, which needs no credentials. */
async function answers(port: number, guarded: Guarded): Promise<boolean> {
  const socket = createSocket('udp4')
  const transaction = randomBytes(12)
  const request = Buffer.concat([Buffer.from('000100002112a442', 'hex'), transaction])
  let isAnswered = false
  socket.on('message', (answer) => {
    isAnswered ||= answer.subarray(8, 20).equals(transaction)
  })
  // Nothing listens there yet: the next request tries again.
  socket.on('error', () => undefined)
  try {
    const deadline = performance.now() + PATIENCE_MS
    while (!isAnswered && !guarded.hasExited() && performance.now() < deadline) {
      socket.send(request, port, '127.0.0.1')
      await once(socket, 'message', { signal: AbortSignal.timeout(100) }).catch(() => undefined)
    }
    return isAnswered
  } finally {
    socket.close()
  }
}
