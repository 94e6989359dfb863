import { notFound } from '../../contract/errors.ts'
import { bodyErrors, optionalBody } from '../../platform/http/optional-body.ts'
import { byChange, byId, pageBody, pageRequest } from '../../platform/http/paging.ts'
import { idempotencyHeaders, idempotencyKeyOf, madeAnswer } from '../idempotency-key.ts'
import { route } from '../route.ts'
import {
  campaignBody,
  campaignPatch,
  campaignQuery,
  campaignView,
  haltedView,
  startQuery,
} from '../schemas/campaigns.ts'
import { changesOf, idParam, noFields } from '../schemas/fields.ts'

const campaigns = byId('campaigns')

export const listCampaigns = route({
  method: 'GET',
  path: '/campaigns',
  scope: 'CAMPAIGNS_READ',
  summary: 'List campaigns, newest first',
  query: campaignQuery,
  response: changesOf(campaignView),
  errors: [],
  async handle({ caller, query: { limit, cursor, ...filter }, services }) {
    const kind = filter.updatedSince ? byChange(campaigns) : campaigns
    const page = pageRequest(kind, { limit, cursor })
    return pageBody(kind, await services.campaigns.list(caller.workspaceId, filter, page))
  },
})

export const getCampaign = route({
  method: 'GET',
  path: '/campaigns/:id',
  scope: 'CAMPAIGNS_READ',
  summary: 'Read one campaign with its counts',
  params: idParam('campaign'),
  response: campaignView,
  errors: ['NOT_FOUND'],
  async handle({ caller, params, services }) {
    const campaign = await services.campaigns.find(caller.workspaceId, params.id)
    if (!campaign) throw notFound('campaign')
    return campaign
  },
})

export const createCampaign = route({
  method: 'POST',
  path: '/campaigns',
  scope: 'CAMPAIGNS_WRITE',
  summary: 'Make a campaign, as a draft without recipients',
  headers: idempotencyHeaders,
  body: campaignBody,
  response: campaignView,
  success: 201,
  errors: [
    'NO_SENDER_NUMBER',
    'TEMPLATE_NOT_FOUND',
    'TEMPLATE_VARIABLES_MISMATCH',
    'IDEMPOTENCY_KEY_REUSED',
    'INVALID_STATE',
  ],
  async handle({ caller, body, services, request }) {
    const draft = { ...body, numberId: body.numberId ?? null }
    return madeAnswer(await services.campaigns.create(caller.workspaceId, draft, idempotencyKeyOf(request)))
  },
})

export const changeCampaign = route({
  method: 'PATCH',
  path: '/campaigns/:id',
  scope: 'CAMPAIGNS_WRITE',
  summary: 'Change what a campaign sends, from which number, when and how fast',
  params: idParam('campaign'),
  body: campaignPatch,
  response: campaignView,
  errors: [
    'NOT_FOUND',
    'INVALID_STATE',
    'NO_SENDER_NUMBER',
    'TEMPLATE_NOT_FOUND',
    'TEMPLATE_VARIABLES_MISMATCH',
  ],
  handle: ({ caller, params, body, services }) =>
    services.campaigns.change(caller.workspaceId, params.id, body),
})

export const startCampaign = route({
  method: 'POST',
  path: '/campaigns/:id/start',
  scope: 'CAMPAIGNS_WRITE',
  summary: 'Start a campaign now or at its startAt, or go on with one that is paused',
  params: idParam('campaign'),
  query: startQuery,
  response: campaignView,
  errors: [
    ...bodyErrors,
    'NOT_FOUND',
    'INVALID_STATE',
    'ACCOUNT_RESTRICTED',
    'NO_SENDER_NUMBER',
    'TEMPLATE_NOT_FOUND',
    'TEMPLATE_NOT_APPROVED',
  ],
  async handle({ caller, params, query, services, request }) {
    await optionalBody(request, noFields)
    return services.campaigns.start(caller.workspaceId, params.id, { isNow: query.now ?? false })
  },
})

export const pauseCampaign = route({
  method: 'POST',
  path: '/campaigns/:id/pause',
  scope: 'CAMPAIGNS_WRITE',
  summary: 'Pause a campaign: once this has answered, no further send begins',
  params: idParam('campaign'),
  response: haltedView,
  errors: [...bodyErrors, 'NOT_FOUND', 'INVALID_STATE'],
  async handle({ caller, params, services, request }) {
    await optionalBody(request, noFields)
    return services.campaigns.pause(caller.workspaceId, params.id)
  },
})

export const cancelCampaign = route({
  method: 'POST',
  path: '/campaigns/:id/cancel',
  scope: 'CAMPAIGNS_WRITE',
  summary: 'End a campaign for good: once this has answered, no further send begins',
  params: idParam('campaign'),
  response: haltedView,
  errors: [...bodyErrors, 'NOT_FOUND', 'INVALID_STATE'],
  async handle({ caller, params, services, request }) {
    await optionalBody(request, noFields)
    return services.campaigns.cancel(caller.workspaceId, params.id)
  },
})

export const deleteCampaign = route({
  method: 'DELETE',
  path: '/campaigns/:id',
  scope: 'CAMPAIGNS_WRITE',
  summary: 'Delete a campaign that is a draft or has ended',
  params: idParam('campaign'),
  success: 204,
  errors: ['NOT_FOUND', 'INVALID_STATE'],
  async handle({ caller, params, services }) {
    await services.campaigns.delete(caller.workspaceId, params.id)
    return undefined
  },
})
