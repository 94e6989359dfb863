// Redis connections that fail instead of hanging. By default, node-redis waits forever for a stalled server.
import { createClient } from 'redis'
import { withDeadline } from '../../shared/deadline.ts'

/**
 * `commands`: short commands. `blocking`: one reader that blocks inside Redis. `subscriber`: hints only.
 * `consumer`: for BullMQ's worker, which blocks for seconds inside Redis and queues commands in an outage.
 */
export type RedisRole = 'commands' | 'blocking' | 'subscriber' | 'consumer'

export interface RedisClientOptions {
  readonly url: string
  readonly role: RedisRole
  readonly onError: (error: Error, role: RedisRole) => void
  /** Deadline of the first connection; default 10 s. */
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

/** Resolves once the server responds, or rejects. Afterwards the client reconnects by itself forever. */
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
    // A ping keeps an idle connection from looking stalled. Must be well below the socket timeout.
    pingInterval: 1_000,
    // Beyond this a command fails at once, as it does while disconnected: callers can work without Redis.
    commandsQueueMaxLength: 10_000,
    disableOfflineQueue: role !== 'consumer',
    // The default sets a timer per command that cannot be cancelled. `bounded` already limits commands.
    commandOptions: { timeout: 0 },
    socket: {
      connectTimeout: 1_000,
      // A read that blocks inside Redis looks idle, and the ping waits behind it.
      socketTimeout: socketTimeoutMs[role],
      reconnectStrategy: () => 50 + Math.random() * 450,
    },
  })
}

/** Wrap every command in this. After a rejection the outcome is unknown: Redis may still run the command. */
export const bounded = <T>(command: Promise<T>, ms = commandLimitMs): Promise<T> =>
  withDeadline(command, ms, 'a redis command')

/** Closes the connection in any state. */
export async function closeRedis(client: Redis): Promise<void> {
  if (!client.isOpen) return
  try {
    await withDeadline(client.close(), 500, 'closing redis')
  } catch {
    // The server does not respond, so a graceful close is not possible.
    if (client.isOpen) client.destroy()
  }
}
