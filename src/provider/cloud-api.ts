// The one adapter of the provider port: the WhatsApp Business Cloud API. It decides nothing and repeats nothing.
import type { Logger } from 'pino'
import type { Provider } from '../contract/provider.ts'
import { createAsk, type ProviderRequestRecord } from './ask.ts'
import { callOperations } from './calls.ts'
import { catalogOperations } from './catalog.ts'
import { Lane } from './lane.ts'
import { createMedia } from './media.ts'
import { messageOperations } from './messages.ts'

export interface CloudApiOptions {
  readonly baseUrl: string
  /** Such as `v24.0`. */
  readonly version: string
  readonly timeoutMs: number
  readonly log: Logger
  /** Told of every request, for metrics. */
  readonly observe?: (record: ProviderRequestRecord) => void
  /** Connections for messages; calls have a quarter as many of their own. */
  readonly connections?: number
}

export interface CloudApi extends Provider {
  /** Refuses new requests and resolves when those under way have ended. */
  close(): Promise<void>
}

// 1,000 messages a second, the most the provider allows one number, at a quarter of a second each.
const CONNECTIONS = 256
const MAX_WAITING = 2_000
const MAX_ANSWER_BYTES = 8 * 1024 * 1024

export function createCloudApi(options: CloudApiOptions): CloudApi {
  const { baseUrl, version, timeoutMs, connections = CONNECTIONS } = options
  const base = new URL(baseUrl)
  const lane = (size: number) =>
    new Lane({
      origin: base.origin,
      connections: size,
      maxWaiting: MAX_WAITING,
      timeoutMs,
      maxAnswerBytes: MAX_ANSWER_BYTES,
    })
  const lanes = { messages: lane(connections), calls: lane(Math.ceil(connections / 4)) }
  const ask = createAsk({
    lanes,
    prefix: `${base.pathname.replace(/\/+$/, '')}/${version}`,
    log: options.log,
    observe: options.observe,
  })
  const media = createMedia(ask, { origin: base.origin, timeoutMs })
  const closeAll = async () => {
    await Promise.all([lanes.messages.close(), lanes.calls.close(), media.close()])
  }
  let closing: Promise<void> | undefined
  return {
    ...messageOperations(ask),
    ...callOperations(ask),
    ...catalogOperations(ask),
    ...media.operations,
    close() {
      closing ??= closeAll()
      return closing
    },
  }
}
