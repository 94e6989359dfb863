import { notFound } from '../../contract/errors.ts'
import { route } from '../route.ts'
import { estimateView } from '../schemas/estimate.ts'
import { idParam } from '../schemas/fields.ts'

export const estimateCampaign = route({
  method: 'GET',
  path: '/campaigns/:id/estimate',
  scope: 'CAMPAIGNS_READ',
  summary: 'Estimate how long a campaign will take, at which rate, and what limits it',
  params: idParam('campaign'),
  response: estimateView,
  errors: ['NOT_FOUND'],
  async handle({ caller, params, services }) {
    const estimate = await services.campaigns.estimate(caller.workspaceId, params.id)
    if (!estimate) throw notFound('campaign')
    return estimate
  },
})
