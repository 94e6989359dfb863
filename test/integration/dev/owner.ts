// A process that owns servers, for tests to kill. Prints one line of JSON when all are ready; SIGTERM stops
// it.
import { startPostgres } from '../../../src/dev/embedded/postgres.ts'
import { startRedis } from '../../../src/dev/embedded/redis.ts'

const { kinds, ...options } = JSON.parse(process.argv[2] ?? '') as {
  kinds: ('postgres' | 'redis')[]
  dataDir: string
  cacheDir: string
  serverBin?: string
}
const log: string[] = []
const common = { ...options, mode: 'development', onLog: (line: string) => log.push(line) } as const
const servers = await Promise.all(
  kinds.map((kind) => (kind === 'postgres' ? startPostgres(common) : startRedis(common))),
)
process.once('SIGTERM', async () => {
  await Promise.all(servers.map((server) => server.stop()))
  process.exit(0)
})
setInterval(() => undefined, 60_000)
process.stdout.write(`${JSON.stringify({ servers, log })}\n`)
