// Starts a peer: web and worker, each a process of plain Node, whose packages are installed at the first use.
import { type ChildProcess, execFile, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { OpponentProtocol } from '../harness/opponents.ts'
import { serve } from '../harness/part.ts'

export interface Peer {
  /** The files of `program` that are its processes. */
  readonly web: string
  readonly worker: string
  readonly queue: string
}

type Question = OpponentProtocol['start']['question']

const folder = fileURLToPath(new URL('.', import.meta.url))
const logDir = fileURLToPath(new URL('../../.data/bench/log/', import.meta.url))
const installTimeoutMs = 300_000

/** Answers `start` in a process of the bench. The peer ends with it. */
export const servePeer = (peer: Peer): void =>
  serve<OpponentProtocol>({ start: (question) => start(peer, question) })

async function start(peer: Peer, question: Question): Promise<number> {
  await install()
  mkdirSync(logDir, { recursive: true })
  const env = environment(peer, question)
  await promisify(execFile)(process.execPath, [`${folder}program/prepare.js`], { env })
  const web = launch(`${databaseOf(question)}-web`, peer.web, env)
  const { port = 0 } = await firstWord(web)
  await firstWord(launch(`${databaseOf(question)}-worker`, peer.worker, env))
  return port
}

/** `npm ci` where the lockfile is newer than what is installed. */
async function install(): Promise<void> {
  const installed = `${folder}node_modules/.package-lock.json`
  const isCurrent =
    existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${folder}package-lock.json`).mtimeMs
  if (isCurrent) return
  const args = ['ci', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund']
  await promisify(execFile)('npm', args, { timeout: installTimeoutMs })
}

const databaseOf = ({ databaseUrl }: Question): string => new URL(databaseUrl).pathname.slice(1)

const environment = (peer: Peer, question: Question): NodeJS.ProcessEnv => ({
  // With NODE_EXTRA_CA_CERTS, by which a receiver with a certificate of the bench is trusted.
  ...process.env,
  NODE_OPTIONS: '',
  NODE_ENV: 'production',
  QUEUE: peer.queue,
  // Of its own, as the database is: a peer can run twice, once for each way to the receiver.
  QUEUE_PREFIX: databaseOf(question),
  DATABASE_URL: question.databaseUrl,
  REDIS_URL: question.redisUrl,
  RECEIVER_URL: question.receiverUrl,
  ENDPOINT_SECRET: randomBytes(32).toString('hex'),
  APP_SECRET: question.appSecret,
  PROVIDER_URL: question.providerUrl,
  ACCESS_TOKEN: question.accessToken,
})

function launch(name: string, program: string, env: NodeJS.ProcessEnv): ChildProcess {
  const log = openSync(`${logDir}${name}.log`, 'w')
  const child = fork(`${folder}program/${program}`, [], {
    execArgv: [],
    env,
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  // A peer without one of its processes would be measured as a fast one.
  child.once('exit', (code, signal) => {
    process.stderr.write(`${name} ended: ${signal ?? code}, see ${logDir}${name}.log\n`)
    process.exit(1)
  })
  return child
}

async function firstWord(child: ChildProcess): Promise<{ port?: number }> {
  const [word] = (await once(child, 'message')) as [{ port?: number }]
  return word
}
