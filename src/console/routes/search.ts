import * as v from 'valibot'
import { workspaceRoute } from '../route.ts'
import { searchLimits } from '../search-query.ts'

const search = workspaceRoute({
  method: 'GET',
  path: '/search',
  summary: 'What is known by this name, number, id or key: up to five of each kind',
  role: 'VIEWER',
  query: v.strictObject({
    q: v.pipe(
      v.string(),
      v.trim(),
      v.minLength(1, 'must not be empty'),
      v.maxLength(searchLimits.length, `must be at most ${searchLimits.length} characters`),
    ),
  }),
  handle: async ({ services, author, query, request }) => ({
    data: await services.search.find(author.workspaceId, query.q, request.signal),
  }),
})

export const searchRoutes = [search]
