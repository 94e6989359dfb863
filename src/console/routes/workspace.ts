// The workspace itself: its settings and its overview.
import * as v from 'valibot'
import { sessionRuleLimits } from '../../accounts/session-rules.ts'
import { notFound } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { WorkspaceDetail, WorkspaceRecord } from '../../contract/records/console.ts'
import { secondFactorRequired, workspaceRoute } from '../route.ts'
import { shownName } from '../schema.ts'
import type { ConsoleServices } from '../services.ts'

const getWorkspace = workspaceRoute({
  method: 'GET',
  path: '',
  summary: 'The workspace and its settings',
  role: 'VIEWER',
  handle: async ({ services, author }) =>
    detailed(services, (await services.workspace.find(author.workspaceId)) ?? missing()),
})

const wholeNumber = ([least, most]: readonly [number, number], unit: string) => {
  const message = `Enter a whole number of ${unit} from ${least} to ${most}`
  return v.pipe(v.number(), v.integer(message), v.minValue(least, message), v.maxValue(most, message))
}

const { sessionMinutes, idleMinutes, graceDays } = sessionRuleLimits

const secondFactor = v.variant('required', [
  v.strictObject({ required: v.literal(true), graceDays: v.optional(wholeNumber(graceDays, 'days'), 0) }),
  v.strictObject({ required: v.literal(false) }),
])

const editWorkspace = workspaceRoute({
  method: 'PATCH',
  path: '',
  summary: 'Change the settings of the workspace',
  role: 'OWNER',
  // All but the name. What a shorter contentDays deletes is gone for good.
  needsProof: ({ body }) => Object.keys(body).some((name) => name !== 'name'),
  body: v.pipe(
    v.strictObject({
      name: v.optional(shownName),
      contentDays: v.optional(v.nullable(wholeNumber([1, 3_650], 'days'))),
      secondFactor: v.optional(secondFactor),
      sessionMinutes: v.optional(v.nullable(wholeNumber(sessionMinutes, 'minutes'))),
      idleMinutes: v.optional(v.nullable(wholeNumber(idleMinutes, 'minutes'))),
    }),
    v.check((body) => Object.keys(body).length > 0, 'Change something first'),
  ),
  async handle({ services, author, operator, body }) {
    if (body.secondFactor?.required && !operator.hasTotp)
      throw secondFactorRequired('Whoever requires a second factor of others needs one.')
    return detailed(services, (await services.workspace.edit(author, body)) ?? missing())
  },
})

const detailed = ({ settings }: ConsoleServices, record: WorkspaceRecord): WorkspaceDetail => ({
  ...record,
  retentionDays: settings.retentionDays,
  limits: {
    endpoints: limits.endpointsPerWorkspace,
    bodyBytes: limits.bodyBytes,
    recipientsPerCall: limits.recipientsPerCall,
  },
})

const missing = (): never => {
  throw notFound('workspace')
}

const getOverview = workspaceRoute({
  method: 'GET',
  path: '/overview',
  summary: 'What goes on, and what needs attention',
  role: 'VIEWER',
  handle: ({ services, author }) => services.overview(author.workspaceId),
})

export const workspaceRoutes = [getWorkspace, editWorkspace, getOverview]
