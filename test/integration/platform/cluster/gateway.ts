// A miniature gateway: a node, its internal port, and ledger actors over rows that the gateways share.
import { ActorDirectory } from '../../../../src/platform/actors/directory.ts'
import { type ClusterNode, type NodeOptions, startNode } from '../../../../src/platform/cluster/node.ts'
import { rpcSockets, type UpgradeRpc } from '../../../../src/platform/cluster/rpc-handler.ts'
import { isRefusal } from '../../../../src/platform/http/sockets.ts'
import { listen } from '../../../../src/platform/http/uws.ts'
import { systemClock } from '../../../../src/shared/clock.ts'
import type { Log } from '../../../../src/shared/log.ts'
import { PATIENCE_MS } from '../../../support/patience.ts'
import { LedgerHost, ledgerActor } from '../../../unit/platform/actors/ledger-actor.ts'

export const secret = 'a secret of sixteen letters or more'
const quiet = { info() {}, warn() {} }

export const peerOptions = (redisUrl: string) => ({
  redisUrl,
  secrets: [secret],
  isFastDeathEnabled: true,
  sessionTtlMs: 5_000,
  sessionRenewMs: 200,
  clock: systemClock,
  log: quiet,
})

export interface Gateway {
  readonly node: ClusterNode
  readonly actors: ActorDirectory<never, never, never, never>
  readonly host: LedgerHost
  /** Makes the internal port hang: requests are neither refused nor answered. */
  hang(): void
  /** Like SIGSTOP or a host without power: nobody gets an answer, and the session is no longer renewed. */
  freeze(): void
  /** Closes the internal port: a connection is refused, as at an address that only another host has. */
  refuse(): Promise<void>
  /** Like kill -9: nothing is released, the port refuses, and the session is no longer renewed. */
  crash(): Promise<void>
  close(): Promise<void>
}

export interface GatewayOptions {
  readonly redisUrl: string
  /** The rows of the modelled Postgres: pass another gateway's host to share them. */
  readonly host?: LedgerHost
  readonly sessionTtlMs?: number
  readonly sessionRenewMs?: number
  readonly isFastDeathEnabled?: boolean
  readonly onRefused?: NodeOptions['onRefused']
  readonly postgresAwayMs?: () => number
  readonly log?: Log
  readonly secrets?: readonly string[]
  /** False: messages come by POST alone, as to the release before the sockets. */
  readonly takesSockets?: boolean
}

export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { redisUrl, host = new LedgerHost() } = options
  let isHanging = false
  const whileItRuns = <T>(answer: () => Promise<T>): Promise<T> =>
    isHanging ? new Promise(() => {}) : answer()
  const upgrade: UpgradeRpc = (request) =>
    whileItRuns(async () => {
      const verdict = await node.upgradeRpc(request)
      if (isRefusal(verdict)) return verdict
      return { ...verdict, received: (text) => void (isHanging || verdict.received(text)) }
    })
  const server = await listen({
    ...{ host: '127.0.0.1', port: 0, maxInFlight: 1_000, closeDeadlineMs: 0 },
    handler: (request) => whileItRuns(() => node.handleRpc(request)),
    ...(options.takesSockets !== false && { sockets: rpcSockets(upgrade) }),
  })
  const address = `http://127.0.0.1:${server.port}`
  const node = await startNode({
    ...peerOptions(redisUrl),
    ...(options.log && { log: options.log }),
    ...(options.secrets && { secrets: options.secrets }),
    ...(options.onRefused && { onRefused: options.onRefused }),
    ...(options.postgresAwayMs && { postgresAwayMs: options.postgresAwayMs }),
    isFastDeathEnabled: options.isFastDeathEnabled ?? true,
    address,
    version: 'test',
    sessionTtlMs: options.sessionTtlMs ?? 5_000,
    sessionRenewMs: options.sessionRenewMs ?? 200,
    joinWaitMs: 0,
  })
  const actors = new ActorDirectory({
    definition: { ...ledgerActor, mailboxLimit: 64 },
    host,
    ownership: node.ownership,
    clock: systemClock,
    guardMs: 2_500,
    confirmEveryMs: 1_000,
  })
  node.host('call', actors)
  await node.serve()
  return {
    node,
    actors: actors as never,
    host,
    hang: () => {
      isHanging = true
    },
    freeze() {
      isHanging = true
      node.session.abandon()
    },
    refuse: () => server.close(),
    async crash() {
      node.session.abandon()
      actors.close()
      await server.close()
    },
    async close() {
      actors.close()
      await server.close()
      await node.close()
    },
  }
}

/** Polls, because the change happens on another connection, at an instant that no test can know. */
export async function eventually(
  isTrue: () => boolean | Promise<boolean>,
  limitMs = PATIENCE_MS,
): Promise<void> {
  const until = performance.now() + limitMs
  while (!(await isTrue())) {
    if (performance.now() > until) throw new Error('it did not happen in time')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
