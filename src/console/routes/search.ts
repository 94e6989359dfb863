import * as v from 'valibot'
import { workspaceRoute } from '../route.ts'
import { searchLimits } from '../search-query.ts'
import { resultsFor } from '../shown-to.ts'

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
  async handle({ services, author, role, query, request }) {
    const found = await services.search.find(author.workspaceId, query.q, request.signal)
    return { data: resultsFor(role, found) }
  },
})

export const searchRoutes = [search]
