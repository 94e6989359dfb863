import * as v from 'valibot'
import { choiceOf } from '../../api/schemas/fields.ts'
import type { BulkOutcome, DeliverySelection } from '../../contract/administration.ts'
import { AppError, notFound } from '../../contract/errors.ts'
import { eventKinds } from '../../contract/events.ts'
import type { EndpointRecord } from '../../contract/records/console.ts'
import { deliveryStates } from '../../contract/records/delivery.ts'
import { optionalBody } from '../../platform/http/optional-body.ts'
import { byId, pageBody, pageQuery, pageRequest } from '../../platform/http/paging.ts'
import { time } from '../../platform/http/time.ts'
import { decodeId, type EndpointId, encodeId, newId, type WorkspaceId } from '../../shared/ids.ts'
import { workspaceRoute } from '../route.ts'
import { isDirectKind, sampleEvent } from '../sample-event.ts'
import { idOf, idParams } from '../schema.ts'
import type { ConsoleServices } from '../services.ts'

const kind = byId('console-deliveries')

const keyOf = v.pipe(
  v.string(),
  v.transform((text) => decodeId('conversation', text) ?? decodeId('call', text) ?? ''),
  v.check((id) => id !== '', 'must be the id of a conversation or a call'),
)

const mostChosen = 200
/** More would not fit into the line of a request. */
const mostLookedUp = 50

const idList = v.pipe(
  v.string(),
  v.transform((text) => [...new Set(text.split(','))]),
  v.maxLength(mostLookedUp, `must name at most ${mostLookedUp} deliveries`),
  v.array(idOf('delivery')),
)

export const deliveryFilters = {
  endpointId: v.optional(idOf('endpoint')),
  event: v.optional(v.picklist(eventKinds)),
  state: v.optional(choiceOf(deliveryStates)),
  key: v.optional(keyOf),
  since: v.optional(time),
  until: v.optional(time),
}

const listDeliveries = workspaceRoute({
  method: 'GET',
  path: '/deliveries',
  summary: 'The delivery log, newest first',
  role: 'VIEWER',
  query: v.strictObject({ ...pageQuery, ids: v.optional(idList), ...deliveryFilters }),
  async handle({ services, author, query }) {
    const page = await services.deliveryLog.list(author.workspaceId, query, pageRequest(kind, query))
    return pageBody(kind, page)
  },
})

const getDelivery = workspaceRoute({
  method: 'GET',
  path: '/deliveries/:id',
  summary: 'One delivery with its body and every attempt',
  role: 'VIEWER',
  params: idParams('delivery'),
  errors: ['NOT_FOUND'],
  handle: async ({ services, author, params }) =>
    (await services.deliveryLog.find(author.workspaceId, params.id)) ?? missing('delivery'),
})

const replayDelivery = workspaceRoute({
  method: 'POST',
  path: '/deliveries/:id/replay',
  summary: 'One more attempt with the same bytes, and no retries of its own',
  needsProof: ({ services, author, params }) =>
    services.deliveries.predateAddress(author.workspaceId, [params.id]),
  role: 'ADMIN',
  params: idParams('delivery'),
  success: 202,
  errors: ['NOT_FOUND', 'INVALID_STATE'],
  async handle({ services, author, params }) {
    const replay = await services.deliveries.replay(author, params.id)
    if (replay.type === 'notFound') return missing('delivery')
    if (replay.type === 'refused') throw new AppError('INVALID_STATE', replay.message)
    services.engine.wake([replay.endpointId])
    return { id: encodeId('delivery', params.id), state: 'PENDING' }
  },
})

const replayChosen = workspaceRoute({
  method: 'POST',
  path: '/deliveries/replay',
  summary: 'Replay these deliveries; says which were not replayed, and why',
  needsProof: ({ services, author, body }) =>
    services.deliveries.predateAddress(author.workspaceId, body.ids),
  role: 'ADMIN',
  body: v.strictObject({
    ids: v.pipe(
      v.array(idOf('delivery')),
      v.minLength(1, 'must name at least one delivery'),
      v.maxLength(mostChosen, `must name at most ${mostChosen} deliveries`),
    ),
  }),
  success: 202,
  async handle({ services, author, body }) {
    const { replayed, refused } = await services.deliveries.replayChosen(author, [...new Set(body.ids)])
    services.engine.wake([...new Set(replayed.map(({ endpointId }) => endpointId))])
    return {
      replayed: replayed.map(({ id }) => encodeId('delivery', id)),
      refused: refused.map(({ id, reason }) => ({ id: encodeId('delivery', id), reason })),
    }
  },
})

const retryDelivery = workspaceRoute({
  method: 'POST',
  path: '/deliveries/:id/retry',
  summary: 'The attempt that a delivery waits for, now; if it fails, the next delay follows',
  role: 'ADMIN',
  params: idParams('delivery'),
  success: 202,
  errors: ['NOT_FOUND', 'INVALID_STATE'],
  async handle({ services, author, params }) {
    const retry = await services.deliveries.retry(author, params.id)
    if (retry.type === 'notFound') return missing('delivery')
    if (retry.type === 'refused') throw new AppError('INVALID_STATE', retry.message)
    services.engine.wake([retry.endpointId])
    return { id: encodeId('delivery', params.id), state: 'RETRYING' }
  },
})

const dryRun = v.optional(v.boolean(), false)

const replayMany = workspaceRoute({
  method: 'POST',
  path: '/endpoints/:id/replay',
  summary: 'Replay what failed or was held; with dryRun only count it',
  async needsProof({ services, author, params, body }) {
    if (body.dryRun) return false
    const endpoint = await services.endpoints.find(author.workspaceId, params.id)
    return hasMoved(endpoint, body.since?.toISOString())
  },
  role: 'ADMIN',
  params: idParams('endpoint'),
  body: v.strictObject({
    states: v.pipe(v.array(v.picklist(['FAILED', 'HELD'])), v.minLength(1, 'must list a state')),
    since: v.optional(time),
    dryRun,
  }),
  errors: ['NOT_FOUND', 'INVALID_STATE'],
  async handle({ services, author, params, body }) {
    const endpoint = await existing(services, author.workspaceId, params.id)
    const selection: DeliverySelection = { states: body.states, since: body.since }
    if (body.dryRun)
      return { count: await services.deliveries.count(author.workspaceId, params.id, selection) }
    refuseOff(endpoint)
    const count = counted(await services.deliveries.replayMany(author, params.id, selection))
    services.engine.wake([params.id])
    return { count }
  },
})

/**
 * Whether the endpoint got its address after `since` (default: ever). What is older was never sent there: a replay
 * would show it to whoever has the address now.
 */
const hasMoved = (endpoint: EndpointRecord | undefined, since = ''): boolean =>
  endpoint !== undefined && endpoint.addressChangedAt !== null && since < endpoint.addressChangedAt

const discardSchema = v.strictObject({ since: v.optional(time), dryRun })

const discardHeld = workspaceRoute({
  method: 'POST',
  path: '/endpoints/:id/discard',
  summary: 'Give up what was held; with dryRun only count it',
  role: 'ADMIN',
  params: idParams('endpoint'),
  errors: ['NOT_FOUND', 'INVALID_STATE'],
  async handle({ services, author, params, request }) {
    const { since, dryRun: onlyCount } = await optionalBody(request, discardSchema)
    await existing(services, author.workspaceId, params.id)
    if (!onlyCount) return { count: counted(await services.deliveries.discardHeld(author, params.id, since)) }
    const selection = { states: ['HELD'] as const, since }
    return { count: await services.deliveries.count(author.workspaceId, params.id, selection) }
  },
})

const testSchema = v.strictObject({ event: v.optional(v.picklist(eventKinds)) })

const testEndpoint = workspaceRoute({
  method: 'POST',
  path: '/endpoints/:id/test',
  summary: 'Send a test event to this endpoint alone',
  role: 'ADMIN',
  params: idParams('endpoint'),
  success: 202,
  errors: ['NOT_FOUND', 'INVALID_STATE'],
  async handle({ services, author, params, request }) {
    const { event } = await optionalBody(request, testSchema)
    const endpoint = await existing(services, author.workspaceId, params.id)
    refuseOff(endpoint)
    const sent = event ?? endpoint.events[0] ?? 'message.status'
    const { key, body } = sampleEvent(sent, new Date(services.clock.now()))
    const to = { endpointId: params.id, workspaceId: author.workspaceId, kind: sent, body }
    if (isDirectKind(sent)) return { event: sent, outcome: await services.direct.send({ ...to, kind: sent }) }
    const deliveryId = await services.deliveries.insertTest({ ...to, eventId: newId('event'), key })
    // The endpoint was switched off after it was read.
    if (deliveryId === null) return refuseOff({ ...endpoint, enabled: false })
    services.engine.wake([params.id])
    return { event: sent, deliveryId: encodeId('delivery', deliveryId) }
  },
})

const existing = async (services: ConsoleServices, workspaceId: WorkspaceId, id: EndpointId) =>
  (await services.endpoints.find(workspaceId, id)) ?? missing('endpoint')

function refuseOff(endpoint: EndpointRecord): void {
  if (!endpoint.enabled)
    throw new AppError('INVALID_STATE', `endpoint "${endpoint.name}" is off: turn it on first`)
}

function counted(outcome: BulkOutcome): number {
  if (outcome.type === 'done') return outcome.count
  throw new AppError(
    'INVALID_STATE',
    'a replay or discard of this endpoint is at work: wait until it is done',
  )
}

const missing = (what: string): never => {
  throw notFound(what)
}

export const deliveryRoutes = [
  listDeliveries,
  getDelivery,
  replayDelivery,
  replayChosen,
  retryDelivery,
  replayMany,
  discardHeld,
  testEndpoint,
]
