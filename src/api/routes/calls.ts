import { notFound } from '../../contract/errors.ts'
import { byChange, byId, pageBody, pageRequest } from '../../platform/http/paging.ts'
import { Answer } from '../../platform/http/route.ts'
import { idempotencyHeaders, idempotencyKeyOf, madeAnswer } from '../idempotency-key.ts'
import { route } from '../route.ts'
import {
  answerBody,
  callAction,
  callQuery,
  callView,
  iceView,
  offerView,
  placeBody,
} from '../schemas/calls.ts'
import { changesOf, idParam } from '../schemas/fields.ts'

const calls = byId('calls')

export const listCalls = route({
  method: 'GET',
  path: '/calls',
  scope: 'CALLS_READ',
  summary: 'List calls, newest first',
  query: callQuery,
  response: changesOf(callView),
  errors: [],
  async handle({ caller, query: { limit, cursor, ...filter }, services }) {
    const kind = filter.updatedSince ? byChange(calls) : calls
    const page = pageRequest(kind, { limit, cursor })
    return pageBody(kind, await services.calls.list(caller.workspaceId, filter, page))
  },
})

export const getCall = route({
  method: 'GET',
  path: '/calls/:id',
  scope: 'CALLS_READ',
  summary: 'Read one call',
  params: idParam('call'),
  response: callView,
  errors: ['NOT_FOUND'],
  async handle({ caller, params, services }) {
    const call = await services.calls.find(caller.workspaceId, params.id)
    if (!call) throw notFound('call')
    return call
  },
})

export const getIce = route({
  method: 'GET',
  path: '/calls/ice',
  scope: 'CALLS_READ',
  summary: 'ICE servers for a call, with TURN credentials that expire',
  response: iceView,
  errors: [],
  handle({ caller, services }) {
    const ice = services.calls.ice(caller.workspaceId)
    // Cached for half the TTL only: older credentials could expire during the call.
    return new Answer(ice, {
      headers: { 'cache-control': `private, max-age=${Math.floor(ice.ttlSeconds / 2)}` },
    })
  },
})

export const getOffer = route({
  method: 'GET',
  path: '/calls/:id/offer',
  scope: 'CALLS_WRITE',
  summary: 'Fetch a fresh SDP offer of a live call',
  params: idParam('call'),
  response: offerView,
  errors: ['NOT_FOUND', 'CALL_ENDED', 'OFFER_UNAVAILABLE'],
  handle: ({ caller, params, services }) => services.calls.offer(caller.workspaceId, params.id),
})

export const answerCall = route({
  method: 'POST',
  path: '/calls/:id/answer',
  scope: 'CALLS_WRITE',
  summary: 'Answer a ringing call with an SDP answer',
  params: idParam('call'),
  body: answerBody,
  response: callView,
  errors: [
    'NOT_FOUND',
    'INVALID_SDP',
    'INVALID_STATE',
    'CALL_NOT_RINGING',
    'CALL_ALREADY_ANSWERED',
    'CALL_ENDED',
    'PROVIDER_ERROR',
  ],
  handle: ({ caller, params, body, services }) =>
    services.calls.answer(caller.workspaceId, params.id, body.session),
})

export const actOnCall = route({
  method: 'POST',
  path: '/calls/:id/action',
  scope: 'CALLS_WRITE',
  summary: 'Pre-accept, decline or hang up a call',
  params: idParam('call'),
  body: callAction,
  response: callView,
  errors: [
    'NOT_FOUND',
    'INVALID_SDP',
    'INVALID_STATE',
    'CALL_NOT_RINGING',
    'CALL_ALREADY_ANSWERED',
    'CALL_ENDED',
    'PROVIDER_ERROR',
  ],
  handle: ({ caller, params, body, services }) => services.calls.act(caller.workspaceId, params.id, body),
})

export const placeCall = route({
  method: 'POST',
  path: '/conversations/:id/call',
  scope: 'CALLS_WRITE',
  summary: 'Place a call from an SDP offer; its answer comes in call.accepted',
  params: idParam('conversation'),
  headers: idempotencyHeaders,
  body: placeBody,
  response: callView,
  success: 202,
  errors: [
    'NOT_FOUND',
    'INVALID_SDP',
    'CALL_ENDED',
    'CALLING_RESTRICTED',
    'CALL_PERMISSION_REQUIRED',
    'IDEMPOTENCY_KEY_REUSED',
    'PROVIDER_ERROR',
  ],
  async handle({ caller, params, body, services, request }) {
    const input = { session: body.session, idempotencyKey: idempotencyKeyOf(request) }
    return madeAnswer(await services.calls.place(caller, params.id, input))
  },
})
