// The topics that a client can watch: their names, and how to read the state of each. Every state is bounded.
import * as v from 'valibot'
import type { CallRecord } from '../../contract/records/call.ts'
import { type CampaignId, decodeId, type WorkspaceId } from '../../shared/ids.ts'
import type { ConsoleServices } from '../services.ts'
import type { State } from './delta.ts'

export interface Topic {
  readonly name: string
  /** The delay between two reads while somebody watches. */
  readonly everyMs: number
  read(workspaceId: WorkspaceId): Promise<State>
}

export type TopicReaders = Pick<ConsoleServices, 'overview' | 'reads' | 'deliveryLog'>

const mostTopics = 20
const lively = 500
const calm = 2_000
const lastCalls = 20
const liveCalls = 100
const lastDeliveries = 50

const subscription = v.strictObject({
  subscribe: v.pipe(v.array(v.pipe(v.string(), v.maxLength(64))), v.maxLength(mostTopics)),
})

/** Returns the topics that a client's frame lists, or what is wrong with the frame. */
export function parseSubscription(text: string, readers: TopicReaders): readonly Topic[] | string {
  const parsed = v.safeParse(subscription, parseJson(text))
  if (!parsed.success) return 'send {"subscribe": [topics]}, of up to 20'
  const topics: Topic[] = []
  for (const name of new Set(parsed.output.subscribe)) {
    const topic = topicOf(name, readers)
    if (!topic) return 'topics are overview, calls, deliveries and campaign:<id>'
    topics.push(topic)
  }
  return topics
}

function topicOf(name: string, readers: TopicReaders): Topic | undefined {
  switch (name) {
    case 'overview':
      return { name, everyMs: calm, read: async (ws) => ({ ...(await readers.overview(ws)) }) }
    case 'calls':
      return { name, everyMs: lively, read: (ws) => readCalls(readers, ws) }
    case 'deliveries':
      return { name, everyMs: lively, read: (ws) => readDeliveries(readers, ws) }
    default: {
      const id = name.startsWith('campaign:') && decodeId('campaign', name.slice('campaign:'.length))
      return id ? { name, everyMs: lively, read: (ws) => readCampaign(readers, ws, id) } : undefined
    }
  }
}

/** The live calls and the latest calls in any status, newest first. */
async function readCalls({ reads }: TopicReaders, workspaceId: WorkspaceId): Promise<State> {
  const [live, last] = await Promise.all([
    reads.calls.list(workspaceId, { live: true }, { limit: liveCalls }),
    reads.calls.list(workspaceId, {}, { limit: lastCalls }),
  ])
  const byId = new Map<string, CallRecord>([...live.data, ...last.data].map((call) => [call.id, call]))
  // Ids sort by creation time.
  return { items: [...byId.values()].sort((one, other) => (one.id < other.id ? 1 : -1)) }
}

async function readDeliveries({ deliveryLog }: TopicReaders, workspaceId: WorkspaceId): Promise<State> {
  return { items: (await deliveryLog.list(workspaceId, {}, { limit: lastDeliveries })).data }
}

/** Null if the campaign does not exist or belongs to another workspace. */
async function readCampaign(
  { reads }: TopicReaders,
  workspaceId: WorkspaceId,
  id: CampaignId,
): Promise<State> {
  return { campaign: (await reads.campaigns.find(workspaceId, id)) ?? null }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
