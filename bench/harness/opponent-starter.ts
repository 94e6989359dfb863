// Starts the programs that the gateway is compared with, each at its first use.
import { provider } from '../../src/dev/provider.ts'
import type { Closing } from './closing.ts'
import type { Opponent, OpponentProtocol } from './opponents.ts'
import { openPart } from './part.ts'
import type { Target } from './target.ts'

type Question = OpponentProtocol['start']['question']
type Transport = 'socket' | 'https'

export interface OpponentStarterOptions {
  /** A program that can share its load has as many processes. */
  readonly gateways: number
  /** Makes a seeded database. Returns its address. */
  readonly database: (name: string) => Promise<string>
  readonly receiverUrls: Readonly<Record<Transport, string>>
  /** `providerUrl` is that of all; each program has a path of its own there. */
  readonly question: Pick<Question, 'redisUrl' | 'providerUrl' | 'apiKey'>
  readonly env: NodeJS.ProcessEnv
  readonly closing: Closing
}

export function opponentStarter(options: OpponentStarterOptions) {
  const started = new Map<string, Promise<Target>>()
  return (opponent: Opponent, transport: Transport): Promise<Target> => {
    const name = `${opponent.variant}_${transport}`.replaceAll('-', '_')
    const target = started.get(name) ?? start(options, opponent, { name, transport })
    started.set(name, target)
    return target
  }
}

async function start(
  { gateways, database, receiverUrls, question: given, env, closing }: OpponentStarterOptions,
  { variant, script, settleMs, canShare }: Opponent,
  { name, transport }: { readonly name: string; readonly transport: Transport },
): Promise<Target> {
  const question: Question = {
    ...given,
    databaseUrl: await database(`bench_${name}`),
    receiverUrl: receiverUrls[transport],
    appSecret: provider.appSecret,
    providerUrl: `${given.providerUrl}/${name}`,
    accessToken: provider.accessToken,
  }
  const programs = Array.from({ length: canShare ? gateways : 1 }, async () => {
    const { pid, ask } = await openPart<OpponentProtocol>(script, closing, env)
    return { pid, origin: `http://127.0.0.1:${await ask('start', question)}` }
  })
  const running = await Promise.all(programs)
  return {
    ...{ variant, name, ...(settleMs !== undefined && { settleMs }) },
    origins: running.map(({ origin }) => origin),
    pids: running.map(({ pid }) => pid),
  }
}
