// The state of an endpoint, derived from its columns.
import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import { sources } from '../../platform/postgres/states.ts'
import { type EndpointStanding, endpointMachine } from '../endpoint.machine.ts'

/** An SQL condition: true when endpoint `e` may become `to`. */
export const mayBecome = (sql: Sql, to: EndpointStanding): Fragment => sql`
  case when e.deleted_at is not null then 'DELETED' when e.enabled then 'ON' else 'OFF' end
    in (${sources(sql, endpointMachine, to)})`
