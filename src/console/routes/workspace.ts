// The workspace itself: its settings and its overview.
import * as v from 'valibot'
import { notFound } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { WorkspaceDetail, WorkspaceRecord } from '../../contract/records/console.ts'
import { workspaceRoute } from '../route.ts'
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

const daysMessage = 'must be a whole number of days from 1 to 3650'
const contentDays = v.pipe(
  v.number(),
  v.integer(daysMessage),
  v.minValue(1, daysMessage),
  v.maxValue(3_650, daysMessage),
)

const editWorkspace = workspaceRoute({
  method: 'PATCH',
  path: '',
  summary: 'Change the settings of the workspace',
  role: 'OWNER',
  body: v.pipe(
    v.strictObject({ name: v.optional(shownName), contentDays: v.optional(v.nullable(contentDays)) }),
    v.check((body) => Object.keys(body).length > 0, 'must name something to change'),
  ),
  handle: async ({ services, author, body }) =>
    detailed(services, (await services.workspace.edit(author, body)) ?? missing()),
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
