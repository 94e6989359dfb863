import * as v from 'valibot'
import type { EndpointChange } from '../../contract/administration.ts'
import { AppError, notFound } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { EndpointRecord } from '../../contract/records/console.ts'
import type { EndpointHealth } from '../../contract/records/overview.ts'
import { createSecret } from '../../delivery/signature.ts'
import { optionalBody } from '../../platform/http/optional-body.ts'
import { newId } from '../../shared/ids.ts'
import { allowedAddress } from '../endpoint-address.ts'
import { workspaceRoute } from '../route.ts'
import { eventList, hasField, idParams, shownName } from '../schema.ts'
import { endpointFor } from '../shown-to.ts'

const HOUR_MS = 3_600_000
// allowedAddress() checks the length and the form.
const url = v.pipe(v.string(), v.trim())

const listEndpoints = workspaceRoute({
  method: 'GET',
  path: '/endpoints',
  summary: 'Webhook endpoints, newest first',
  role: 'VIEWER',
  handle: async ({ services, author, role }) => ({
    data: (await services.endpoints.list(author.workspaceId)).map((record) => endpointFor(role, record)),
    nextCursor: null,
  }),
})

const getEndpoint = workspaceRoute({
  method: 'GET',
  path: '/endpoints/:id',
  summary: 'One webhook endpoint',
  role: 'VIEWER',
  params: idParams('endpoint'),
  errors: ['NOT_FOUND'],
  handle: async ({ services, author, role, params }) =>
    endpointFor(role, (await services.endpoints.find(author.workspaceId, params.id)) ?? missing()),
})

const getHealth = workspaceRoute({
  method: 'GET',
  path: '/endpoints/:id/health',
  summary: 'Attempts, failures and how long they took, for each of the last 24 hours',
  role: 'VIEWER',
  params: idParams('endpoint'),
  errors: ['NOT_FOUND'],
  async handle({ services, author: { workspaceId }, params }): Promise<EndpointHealth> {
    const endpoint = await services.endpoints.find(workspaceId, params.id)
    if (!endpoint) return missing()
    const until = new Date(services.clock.now())
    const [hours, last] = await Promise.all([
      services.health.hours(workspaceId, params.id, until),
      services.health.last(workspaceId, params.id, until),
    ])
    return { endpointId: endpoint.id, hours, last }
  },
})

const createEndpoint = workspaceRoute({
  method: 'POST',
  path: '/endpoints',
  summary: 'Add an endpoint; this answer alone shows its secret',
  needsProof: true,
  role: 'ADMIN',
  body: v.strictObject({ name: shownName, url, events: eventList }),
  success: 201,
  errors: ['ADDRESS_NOT_ALLOWED', 'INVALID_STATE'],
  async handle({ services, author, body }) {
    const address = await allowedAddress(services, body.url)
    const secret = createSecret()
    const change = await services.endpoints.create(author, {
      ...body,
      id: newId('endpoint'),
      url: address.url,
      secret: services.secrets.seal(secret),
    })
    if (change.type === 'full')
      throw new AppError(
        'INVALID_STATE',
        `the workspace has ${limits.endpointsPerWorkspace} endpoints already: delete one first`,
      )
    return { ...changed(change), secret, ...warned(address.warning) }
  },
})

const editEndpoint = workspaceRoute({
  method: 'PATCH',
  path: '/endpoints/:id',
  summary: 'Change the name, the address or the events',
  needsProof: ({ body }) => body.url !== undefined,
  role: 'ADMIN',
  params: idParams('endpoint'),
  body: v.pipe(
    v.strictObject({ name: v.optional(shownName), url: v.optional(url), events: v.optional(eventList) }),
    hasField(),
  ),
  errors: ['NOT_FOUND', 'ADDRESS_NOT_ALLOWED', 'IN_USE'],
  async handle({ services, author, params, body }) {
    if (!(await services.endpoints.find(author.workspaceId, params.id))) return missing()
    const address = body.url === undefined ? undefined : await allowedAddress(services, body.url)
    const patch = { ...body, url: address?.url }
    const endpoint = changed(await services.endpoints.edit(author, params.id, patch))
    services.engine.configChanged(params.id)
    return { ...endpoint, ...warned(address?.warning) }
  },
})

const rotateSecret = workspaceRoute({
  method: 'POST',
  path: '/endpoints/:id/rotate',
  summary: 'A new signing secret; this answer alone shows it',
  needsProof: true,
  role: 'ADMIN',
  params: idParams('endpoint'),
  errors: ['NOT_FOUND'],
  async handle({ services, author, params, request }) {
    const { overlapHours } = await optionalBody(
      request,
      v.strictObject({
        overlapHours: v.optional(
          v.pipe(v.number(), v.minValue(0), v.maxValue(limits.rotationOverlapHours)),
          0,
        ),
      }),
    )
    const secret = createSecret()
    const overlapMs = overlapHours * HOUR_MS
    const change = await services.endpoints.rotate(author, params.id, {
      secret: services.secrets.seal(secret),
      previousUntil: overlapMs === 0 ? null : new Date(services.clock.now() + overlapMs),
    })
    const endpoint = changed(change)
    services.engine.configChanged(params.id)
    return { ...endpoint, secret }
  },
})

const enableEndpoint = workspaceRoute({
  method: 'POST',
  path: '/endpoints/:id/enable',
  summary: 'Turn it on again; what was held stays held until it is replayed or discarded',
  role: 'ADMIN',
  params: idParams('endpoint'),
  errors: ['NOT_FOUND'],
  async handle({ services, author, params }) {
    const endpoint = changed(await services.endpoints.enable(author, params.id))
    services.engine.configChanged(params.id)
    return endpoint
  },
})

const disableEndpoint = workspaceRoute({
  method: 'POST',
  path: '/endpoints/:id/disable',
  summary: 'Turn it off; its events are held from now on',
  role: 'ADMIN',
  params: idParams('endpoint'),
  errors: ['NOT_FOUND'],
  async handle({ services, author, params }) {
    changed(await services.endpoints.disable(author, params.id))
    // Tell the endpoint's owner first, so that it stops sending. Attempts in flight settle their own
    // deliveries.
    services.engine.configChanged(params.id)
    await services.deliveries.close(params.id, 'HELD')
    return (await services.endpoints.find(author.workspaceId, params.id)) ?? missing()
  },
})

const removeEndpoint = workspaceRoute({
  method: 'DELETE',
  path: '/endpoints/:id',
  summary: 'Delete an endpoint; what still waits for it is discarded',
  role: 'ADMIN',
  params: idParams('endpoint'),
  success: 204,
  errors: ['NOT_FOUND', 'IN_USE'],
  async handle({ services, author, params }) {
    changed(await services.endpoints.remove(author, params.id))
    services.engine.configChanged(params.id)
    await services.deliveries.close(params.id, 'DISCARDED')
    return undefined
  },
})

function changed(change: EndpointChange): EndpointRecord {
  switch (change.type) {
    case 'changed':
      return change.endpoint
    case 'inUse':
      throw new AppError('IN_USE', change.message)
    case 'notFound':
      return missing()
  }
}

const missing = (): never => {
  throw notFound('endpoint')
}

const warned = (warning: string | undefined) => (warning === undefined ? {} : { warning })

export const endpointRoutes = [
  listEndpoints,
  getEndpoint,
  getHealth,
  createEndpoint,
  editEndpoint,
  rotateSecret,
  enableEndpoint,
  disableEndpoint,
  removeEndpoint,
]
