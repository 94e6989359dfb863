// The progress of a campaign, and the operator's decision about recipients whose outcome is unknown. The
// routes that build and run campaigns are those of the API (shared-campaigns.ts).
import * as v from 'valibot'
import { AppError, type ErrorCode, notFound } from '../../contract/errors.ts'
import type { CampaignId } from '../../shared/ids.ts'
import { workspaceRoute } from '../route.ts'
import { idOf, idParams } from '../schema.ts'

const mostIds = 1_000

const choice = v.union(
  [
    v.strictObject({ ids: v.pipe(v.array(idOf('recipient')), v.minLength(1), v.maxLength(mostIds)) }),
    v.strictObject({ all: v.literal(true) }),
  ],
  `must hold either ids, up to ${mostIds}, or all: true`,
)

const settle = (
  path: 'resend' | 'assume-sent',
  how: {
    readonly summary: string
    readonly reachesCustomers: boolean
    readonly service: 'resendUnknown' | 'assumeSent'
    readonly errors?: readonly ErrorCode[]
  },
) =>
  workspaceRoute({
    method: 'POST',
    path: `/campaigns/:id/unknown/${path}`,
    summary: how.summary,
    role: 'ADMIN',
    reachesCustomers: how.reachesCustomers,
    params: idParams('campaign'),
    body: choice,
    errors: ['NOT_FOUND', 'INVALID_STATE', 'TENANT_SUSPENDED', ...(how.errors ?? [])],
    async handle({ services, author, params, body }) {
      const id: CampaignId = params.id
      const campaign = await services.reads.campaigns.find(author.workspaceId, id)
      if (!campaign) throw notFound('campaign')
      if (how.reachesCustomers && campaign.status === 'CANCELLED')
        throw new AppError('INVALID_STATE', 'the campaign is CANCELLED: nothing of it is sent any more')
      return services.unknown[how.service](author.workspaceId, id, body, author)
    },
  })

const getProgress = workspaceRoute({
  method: 'GET',
  path: '/campaigns/:id/progress',
  summary: 'How far a campaign was at which time, oldest first; while it runs, what limits it',
  role: 'VIEWER',
  params: idParams('campaign'),
  errors: ['NOT_FOUND'],
  async handle({ services: { reads, campaignPace }, author: { workspaceId }, params: { id } }) {
    const [campaign, data, pace] = await Promise.all([
      reads.campaigns.find(workspaceId, id),
      reads.samples.list(workspaceId, id),
      campaignPace(workspaceId, id),
    ])
    if (!campaign) throw notFound('campaign')
    return { data, pace }
  },
})

export const campaignRoutes = [
  getProgress,
  settle('resend', {
    summary: 'Send again to recipients that are UNKNOWN: whoever did get the first message gets a second one',
    reachesCustomers: true,
    service: 'resendUnknown',
    errors: ['TEMPLATE_NOT_FOUND', 'TEMPLATE_NOT_APPROVED', 'TEMPLATE_VARIABLES_MISMATCH'],
  }),
  settle('assume-sent', {
    summary: 'Take recipients that are UNKNOWN for SENT',
    reachesCustomers: false,
    service: 'assumeSent',
  }),
]
