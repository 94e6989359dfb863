// The faults: how each is done, for how long, and what it may cause.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectPool } from '../../../src/platform/postgres/sql.ts'
import type { SocketReceiver } from '../../e2e/receivers.ts'
import { type Cluster, isolate, type Target } from './cluster.ts'
import { runCampaign } from './restored-campaign.ts'

/** What a fault may cause. What it does not allow must be nought. */
export type Allowance =
  /** The holder of the old socket is stopped or cannot be heard, so the receiver does not see its end. */
  'two sockets open' | 'silent calls' | 'failed sends' | 'lost events'

export interface Row {
  readonly name: string
  /** Whether `npm run test:full` runs it. */
  readonly isQuick?: true
  readonly allows: readonly Allowance[]
  /** Settings of all processes. */
  readonly env?: Readonly<Record<string, string>>
  /**
   * Processes only leave. HAProxy tries no second gateway, and leaves the requests alone that are under way at a
   * gateway whose check fails.
   */
  readonly isDeployment?: true
  /** Does the harm and undoes it. Returns the time from which recovery counts, if that is not its end. */
  readonly harm: (cluster: Cluster) => Promise<number | undefined>
}

type Harm = Row['harm']

const seconds = (count: number): Promise<void> => sleep(count * 1_000)

/** Freezes the owner of the first endpoint. */
const freezeOwner =
  (duration: number): Harm =>
  async (cluster) => {
    const thaw = await cluster.freeze(cluster.pid(await cluster.owner()))
    await seconds(duration)
    await thaw()
    return undefined
  }

/** `kill -9`; the supervisor starts it again after two seconds. Recovery counts from the kill. */
const killOwner: Harm = async (cluster) => {
  const owner = await cluster.owner()
  await cluster.kill(owner)
  const killedAt = Date.now()
  await seconds(2)
  await cluster.restart(owner)
  return killedAt
}

const killOwners =
  (times: number): Harm =>
  async (cluster) => {
    let killedAt: number | undefined
    for (let kill = 0; kill < times; kill += 1) {
      killedAt = await killOwner(cluster)
      await seconds(1 + Math.random() * 2)
    }
    return killedAt
  }

/** Power off: nobody hears anything of the owner's host again. Recovery counts from that instant. */
const vanish: Harm = async (cluster) => {
  const owner = await cluster.owner()
  await Promise.all([isolate(cluster, owner, 'silent'), cluster.freeze(cluster.pid(owner))])
  const vanishedAt = Date.now()
  await seconds(20)
  // The lines hide its end too.
  await cluster.kill(owner)
  return vanishedAt
}

/** The owner lives and reaches the receivers, but neither servers nor peers. */
const cutOff =
  (duration: number): Harm =>
  async (cluster) => {
    const owner = await cluster.owner()
    await isolate(cluster, owner, 'silent')
    await seconds(duration)
    await isolate(cluster, owner, 'open')
    return undefined
  }

const loseRedis =
  (duration: number): Harm =>
  async ({ redis }) => {
    redis.kill()
    await seconds(duration)
    await redis.restart()
    return undefined
  }

const freezeRedis =
  (duration: number): Harm =>
  async (cluster) => {
    const thaw = await cluster.freeze(cluster.redis.pid)
    await seconds(duration)
    await thaw()
    return undefined
  }

/** Only the owner has no Postgres. */
const cutPostgres =
  (duration: number, state: 'refused' | 'silent'): Harm =>
  async (cluster) => {
    const line = cluster.lines(await cluster.owner()).postgres
    await line.become(state)
    await seconds(duration)
    await line.become('open')
    return undefined
  }

const crashPostgres =
  (duration: number): Harm =>
  async ({ postgres }) => {
    await postgres.crash()
    await seconds(duration)
    await postgres.start()
    return undefined
  }

/** What the last seconds have written is gone, as after a restore from a copy. */
const restorePostgres =
  (age: number): Harm =>
  async (cluster) => {
    const { postgres } = cluster
    const campaign = await runCampaign(cluster)
    await postgres.takeCopy()
    await seconds(age)
    await postgres.restoreCopy()
    const healedAt = Date.now()
    await campaign.assertPaused()
    return healedAt
  }

/** An `alter table` waits behind a long read, and everything else waits behind it. */
const lockTable =
  (duration: number): Harm =>
  async ({ databaseUrl }) => {
    // Anybody's session: ours give up a lock after two seconds.
    const options = { url: databaseUrl, max: 1, statementTimeoutMs: 0, lockTimeoutMs: 0 }
    const reader = connectPool({ ...options, name: 'long-read' })
    const upgrade = connectPool({ ...options, name: 'upgrade' })
    try {
      await reader.begin(async (tx) => {
        await tx`set local idle_in_transaction_session_timeout = 0`
        await tx`select from deliveries limit 1`
        const altering = upgrade.begin(async (alter) => {
          await alter`alter table deliveries add column fault text`
          await alter`alter table deliveries drop column fault`
        })
        await Promise.race([altering, seconds(duration)])
        // It gets its lock when the read ends.
        void altering.catch(() => undefined)
      })
    } finally {
      await Promise.all([reader.end({ timeout: 5 }), upgrade.end({ timeout: 5 })])
    }
    return undefined
  }

function firstSocket({ targets: [target] }: Cluster): { target: Target; receiver: SocketReceiver } {
  assert.ok(target && 'connections' in target.receiver)
  return { target, receiver: target.receiver }
}

/** Ends connections without reading what has arrived on them, as the kernel of a dead receiver does. */
function endUnread({ connections }: SocketReceiver): void {
  for (const { websocket } of connections.filter((one) => one.websocket.isPaused)) {
    websocket.removeAllListeners('message')
    websocket.terminate()
  }
}

/** The receiver stops reading; with `again`, also every connection that is made meanwhile. */
const stallReceiver =
  (duration: number, { again }: { again: boolean }): Harm =>
  async (cluster) => {
    const { receiver } = firstSocket(cluster)
    receiver.isStalled = again
    for (const { websocket } of receiver.connections) websocket.pause()
    await seconds(duration)
    receiver.isStalled = false
    endUnread(receiver)
    return undefined
  }

/** The connection to the receiver is dead, and nobody is told. New ones work. Recovery counts from then. */
const halfOpen: Harm = async (cluster) => {
  firstSocket(cluster).target.line.silenceOpen()
  const at = Date.now()
  await seconds(30)
  return at
}

const rollingRestart: Harm = async (cluster) => {
  await cluster.roll({})
  return undefined
}

const keys = ['1', '2'].map((id) => `${id}:${id.repeat(64)}`)

/** The documented order: all processes can open with the new key before one seals with it. */
const rotateKey: Harm = async (cluster) => {
  await cluster.roll({ SECRETS_KEY: keys.join(',') })
  await cluster.roll({ SECRETS_KEY: keys.toReversed().join(',') })
  return undefined
}

export const rows: readonly Row[] = [
  {
    name: 'owner-killed',
    allows: ['failed sends'],
    harm: killOwner,
  },
  {
    name: 'owners-killed-10-times',
    allows: ['failed sends'],
    harm: killOwners(10),
  },
  {
    name: 'owner-frozen-8s',
    isQuick: true,
    allows: ['two sockets open', 'failed sends'],
    harm: freezeOwner(8),
  },
  {
    name: 'owner-frozen-20s',
    allows: ['two sockets open', 'failed sends'],
    harm: freezeOwner(20),
  },
  {
    name: 'host-vanished',
    allows: ['two sockets open', 'failed sends'],
    harm: vanish,
  },
  {
    name: 'host-cut-off-20s',
    allows: ['two sockets open', 'failed sends'],
    harm: cutOff(20),
  },
  { name: 'redis-killed-1s', allows: [], harm: loseRedis(0.5) },
  { name: 'redis-killed-5s', isQuick: true, allows: [], harm: loseRedis(5) },
  { name: 'redis-killed-20s', allows: [], harm: loseRedis(20) },
  {
    name: 'redis-frozen-20s',
    allows: [],
    harm: freezeRedis(20),
  },
  {
    name: 'postgres-refused-20s',
    allows: ['failed sends'],
    harm: cutPostgres(20, 'refused'),
  },
  { name: 'postgres-silent-20s', allows: ['failed sends'], harm: cutPostgres(20, 'silent') },
  { name: 'postgres-crashed', allows: ['failed sends'], harm: crashPostgres(2) },
  {
    name: 'postgres-restored-12s',
    allows: ['lost events', 'failed sends'],
    harm: restorePostgres(12),
  },
  {
    name: 'table-locked-20s',
    allows: ['failed sends'],
    harm: lockTable(20),
  },
  {
    name: 'receiver-frozen-15s',
    allows: ['two sockets open', 'silent calls'],
    harm: stallReceiver(15, { again: false }),
  },
  {
    name: 'receiver-stalled-45s',
    allows: ['two sockets open', 'silent calls'],
    harm: stallReceiver(45, { again: true }),
  },
  { name: 'receiver-half-open', allows: ['two sockets open', 'silent calls'], harm: halfOpen },
  { name: 'rolling-restart', isDeployment: true, allows: [], harm: rollingRestart },
  {
    name: 'key-rotated',
    isDeployment: true,
    env: { SECRETS_KEY: keys[0] ?? '' },
    allows: [],
    harm: rotateKey,
  },
]
