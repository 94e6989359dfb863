// Connections to Redis that fail instead of hanging. The defaults of node-redis wait for ever for a stalled server.
import { createClient } from 'redis'
import { withDeadline } from '../shared/deadline.ts'

/**
 * `commands`: short ones. `blocking`: one reader that waits inside Redis. `subscriber`: hints only. `consumer`: for
 * BullMQ's worker, which waits for seconds inside Redis and waits out an outage.
 */
export type RedisRole = 'commands' | 'blocking' | 'subscriber' | 'consumer'

export interface RedisClientOptions {
  readonly url: string
  readonly role: RedisRole
  readonly onError: (error: Error, role: RedisRole) => void
  /** For the first connection; default ten seconds. */
  readonly connectWithinMs?: number
}

export type Redis = ReturnType<typeof create>

const socketTimeoutMs: Readonly<Record<RedisRole, number>> = {
  commands: 2_000,
  subscriber: 2_000,
  blocking: 5_000,
  consumer: 30_000,
}
const commandLimitMs = 750

/** Resolves once the server answers, or rejects; from then on it reconnects by itself for ever. */
export async function connectRedis(options: RedisClientOptions): Promise<Redis> {
  const client = create(options)
  // Without a listener a lost connection would end the process.
  client.on('error', (error: Error) => options.onError(error, options.role))
  try {
    await withDeadline(client.connect(), options.connectWithinMs ?? 10_000, 'connecting to redis')
  } catch (error) {
    client.destroy()
    throw error
  }
  return client
}

function create({ url, role }: RedisClientOptions) {
  return createClient({
    url,
    // A ping keeps an idle connection from looking stalled, so it must come well within the socket's timeout.
    pingInterval: 1_000,
    // Past it a command fails at once, as it does while the connection is down: the caller has a way without Redis.
    commandsQueueMaxLength: 10_000,
    disableOfflineQueue: role !== 'consumer',
    // The default makes a timer for every command that nobody can cancel; `bounded` guards every command already.
    commandOptions: { timeout: 0 },
    socket: {
      connectTimeout: 1_000,
      // A read that blocks inside Redis looks idle, and the ping waits behind it.
      socketTimeout: socketTimeoutMs[role],
      reconnectStrategy: () => 50 + Math.random() * 450,
    },
  })
}

/** Every command goes through this. After a rejection its outcome is unknown: it may still be carried out. */
export const bounded = <T>(command: Promise<T>, ms = commandLimitMs): Promise<T> =>
  withDeadline(command, ms, 'a redis command')

/** Ends the connection in any state it may be in. */
export async function closeRedis(client: Redis): Promise<void> {
  if (!client.isOpen) return
  try {
    await withDeadline(client.close(), 500, 'closing redis')
  } catch {
    // A server that does not answer cannot be taken leave of.
    if (client.isOpen) client.destroy()
  }
}
