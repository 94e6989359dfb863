// The adapter of the provider port: the WhatsApp Business Cloud API. No business rules, no retries.
import type { Logger } from 'pino'
import type { Provider } from '../../contract/provider.ts'
import { createAsk, type ProviderRequestRecord } from './ask.ts'
import { callOperations } from './calls.ts'
import { catalogOperations } from './catalog.ts'
import { ConnectionPool } from './connection-pool.ts'
import { createMedia } from './media.ts'
import { messageOperations } from './messages.ts'
import { sampleOperations } from './samples.ts'

export interface CloudApiOptions {
  readonly baseUrl: string
  /** Such as `v24.0`. */
  readonly version: string
  /** The app that uploads of samples belong to. Left out: the app of the token. */
  readonly appId?: string | undefined
  readonly timeoutMs: number
  readonly log: Logger
  /** Called for every request, for metrics. */
  readonly observe?: (record: ProviderRequestRecord) => void
  /** Connections for messages. Calls get a separate pool of a quarter of this size. */
  readonly connections?: number
}

export interface CloudApi extends Provider {
  /** Refuses new requests. Resolves when the running ones have ended. */
  close(): Promise<void>
}

// Enough for 1,000 messages a second, the provider's maximum for one number, at a quarter of a second each.
const CONNECTIONS = 256
const MAX_WAITING = 2_000
const MAX_ANSWER_BYTES = 8 * 1024 * 1024

export function createCloudApi(options: CloudApiOptions): CloudApi {
  const { baseUrl, version, timeoutMs, connections = CONNECTIONS } = options
  const base = new URL(baseUrl)
  const openPool = (size: number) =>
    new ConnectionPool({
      origin: base.origin,
      connections: size,
      maxWaiting: MAX_WAITING,
      timeoutMs,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    })
  const pools = { messages: openPool(connections), calls: openPool(Math.ceil(connections / 4)) }
  const ask = createAsk({
    pools,
    prefix: `${base.pathname.replace(/\/+$/, '')}/${version}`,
    log: options.log,
    observe: options.observe,
  })
  const media = createMedia(ask, { origin: base.origin, timeoutMs })
  const closeAll = async () => {
    await Promise.all([pools.messages.close(), pools.calls.close(), media.close()])
  }
  let closing: Promise<void> | undefined
  return {
    ...messageOperations(ask),
    ...callOperations(ask),
    ...catalogOperations(ask),
    ...media.operations,
    ...sampleOperations(ask, options.appId ?? 'app'),
    close() {
      closing ??= closeAll()
      return closing
    },
  }
}
