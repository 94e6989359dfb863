// Lists as CSV, with the filters of their pages. For admins: a file takes what people wrote, their numbers and where
// colleagues work from out of the console at once.
import * as v from 'valibot'
import type { Author } from '../../contract/administration.ts'
import type { Page, PageRequest } from '../../contract/page.ts'
import { attachment } from '../../platform/http/file-answer.ts'
import { inPlace } from '../../platform/http/in-place.ts'
import { places } from '../../platform/http/places.ts'
import { RawAnswer } from '../../platform/http/route.ts'
import type { OperatorId } from '../../shared/ids.ts'
import {
  auditColumns,
  type Columns,
  callColumns,
  csvOf,
  deliveryColumns,
  exportLimits,
  messageColumns,
} from '../export-lists.ts'
import { workspaceRoute } from '../route.ts'
import type { ConsoleServices } from '../services.ts'
import { tellAudit } from '../tell-audit.ts'
import { auditFilters } from './audit.ts'
import { deliveryFilters } from './deliveries.ts'
import { callFilters, messageFilters, withNames } from './reading.ts'
import { meant, meantBy } from './spelling.ts'

/** Of each gateway. One export reads a page of a thousand rows at a time. */
const enter = places<OperatorId>({
  ...{ perOwner: 1, all: 4 },
  words: {
    perOwner: 'Another export of yours is being downloaded. Wait until it is done, or cancel it.',
    all: 'Too many exports are being downloaded now. Try again in a minute.',
  },
})

interface Source<Row> {
  readonly columns: Columns<Row>
  read(page: PageRequest): Promise<Page<Row>>
}

interface Input<Filter> {
  readonly services: ConsoleServices
  readonly author: Author
  readonly filter: Filter
}

const exportOf = <Filter, Row>(
  list: 'messages' | 'calls' | 'deliveries' | 'audit',
  query: v.GenericSchema<unknown, Filter>,
  open: (input: Input<Filter>) => Source<Row> | Promise<Source<Row>>,
) =>
  workspaceRoute({
    method: 'GET',
    path: `/exports/${list}`,
    summary: `The list of ${list} as CSV, newest first, at most ${exportLimits.rows} rows; the filters are those of the list`,
    role: 'ADMIN',
    query,
    errors: ['RATE_LIMITED', 'OVERLOADED'],
    handle: ({ services, author, query: filter, request }) =>
      inPlace(
        request,
        () => enter(author.operatorId),
        async () => {
          const [source, workspace] = await Promise.all([
            open({ services, author, filter }),
            services.workspace.find(author.workspaceId),
          ])
          await services.audit.note(author, {
            action: 'workspace.exported',
            subjectKind: 'workspace',
            subjectId: author.workspaceId,
            after: { list, filters: namesOf(filter) },
          })
          const day = new Date(services.clock.now()).toISOString().slice(0, 10)
          return new RawAnswer(csvOf({ ...source, now: () => services.clock.mono() }), {
            'content-type': 'text/csv; charset=utf-8; header=present',
            'content-disposition': attachment(`${slug(workspace?.name ?? '')}-${list}-${day}.csv`),
            'cache-control': 'no-store',
          })
        },
      ),
  })

/** Their names alone: the value of one may be the number of a customer. */
const namesOf = (filter: unknown): string[] =>
  Object.entries(filter as object)
    .flatMap(([name, value]) => (value === undefined ? [] : [name]))
    .sort()

const slug = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40) || 'workspace'

export const exportRoutes = [
  exportOf(
    'messages',
    v.strictObject(messageFilters),
    async ({ services, author: { workspaceId }, ...given }) => {
      const filter = await meant(services, workspaceId, given.filter)
      return {
        columns: messageColumns,
        async read(page) {
          const { data, next } = await services.reads.messages.list(workspaceId, filter, page)
          return { data: await withNames(services, workspaceId, data), next }
        },
      }
    },
  ),
  exportOf('calls', v.strictObject(callFilters), async ({ services, author: { workspaceId }, ...given }) => {
    const filter = await meant(services, workspaceId, given.filter)
    return { columns: callColumns, read: (page) => services.reads.calls.list(workspaceId, filter, page) }
  }),
  exportOf('deliveries', v.strictObject(deliveryFilters), async ({ services, author, ...given }) => {
    const filter = await meantBy(services, author.workspaceId, given.filter)
    const names = new Map(
      (await services.endpoints.list(author.workspaceId)).map(({ id, name }) => [id, name]),
    )
    return {
      columns: deliveryColumns((id) => names.get(id)),
      read: (page) => services.deliveryLog.list(author.workspaceId, filter, page),
    }
  }),
  exportOf('audit', v.strictObject(auditFilters), ({ services, author, filter }) => ({
    columns: auditColumns,
    async read(page) {
      const reader = { author, role: 'ADMIN' as const }
      const { data, next } = await services.audit.list(author.workspaceId, filter, page)
      return { data: await tellAudit(services.subjectNames, reader, data), next }
    },
  })),
]
