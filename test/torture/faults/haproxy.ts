// A real HAProxy in front of the gateways, set up as the page about running Switchboard says.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { firstWorking } from '../../../src/dev/embedded/candidates.ts'
import { spawnGuarded } from '../../../src/dev/embedded/guard.ts'
import { lastingPort } from '../../e2e/processes.ts'
import { installDebian } from '../../support/debian-install.ts'
import { ownFolder } from '../../support/embedded.ts'
import { PATIENCE_MS } from '../../support/patience.ts'

export interface Balancer {
  readonly origin: string
  stop(): Promise<void>
}

// Debian keeps it in a folder that is not on everybody's PATH.
const installed = ['haproxy', '/usr/sbin/haproxy', '/usr/local/sbin/haproxy']

/** Returns the program to run. Throws with what to install: without a balancer, the rows prove nothing. */
export const findHaproxy = (): Promise<string> =>
  firstWorking({
    what: 'a balancer for the faults',
    candidates: [
      ...installed.map((name) => ({ name, find: () => proved(name) })),
      { name: 'Debian package, as root', find: () => installDebian('haproxy').then(() => proved('haproxy')) },
    ],
    remedy: 'apt-get install haproxy',
  })

async function proved(bin: string): Promise<string> {
  await promisify(execFile)(bin, ['-v'], { timeout: 10_000 })
  return bin
}

export interface BalancerOptions {
  readonly origins: readonly string[]
  /** How often it tries another gateway when it cannot connect. It never repeats a request that it has sent. */
  readonly retries: number
  /** Whether it ends the requests at a gateway whose check fails, which may be gone or may only be leaving. */
  readonly cutsRequests: boolean
}

/** Ends with the test process. */
export async function startHaproxy(bin: string, options: BalancerOptions): Promise<Balancer> {
  const dir = mkdtempSync(join(ownFolder(), 'haproxy-'))
  const port = await lastingPort()
  const file = join(dir, 'haproxy.cfg')
  writeFileSync(file, configuration(options, port))
  const guarded = await spawnGuarded({
    argv: [bin, '-db', '-f', file],
    stopSignal: 'KILL',
    logFile: join(dir, 'haproxy.log'),
  })
  const stop = async () => {
    await guarded.stop()
    rmSync(dir, { recursive: true, force: true })
  }
  const deadline = performance.now() + PATIENCE_MS
  while (!(await accepts(port))) {
    const failure = `HAProxy did not start:\n${guarded.output()}`
    if (guarded.hasExited() || performance.now() > deadline) {
      await stop()
      throw new Error(failure)
    }
    await sleep(20)
  }
  return { origin: `http://127.0.0.1:${port}`, stop }
}

function configuration({ origins, retries, cutsRequests }: BalancerOptions, port: number): string {
  const server = (origin: string, index: number) => `  server gateway-${index} ${new URL(origin).host}`
  return `
global
  maxconn 4096
defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 15s
  timeout check 1s
  timeout http-keep-alive 5s
  option forwardfor
  option redispatch 1
  retries ${retries}
frontend public
  bind 127.0.0.1:${port}
  default_backend gateways
backend gateways
  balance leastconn
  option httpchk
  http-check send meth GET uri /readyz ver HTTP/1.1 hdr Host gateway
  default-server check inter 500ms fall 2 rise 1${cutsRequests ? ' on-marked-down shutdown-sessions' : ''} pool-purge-delay 5s
${origins.map(server).join('\n')}
`
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
