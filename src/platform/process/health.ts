// Health checks: whether the process is alive, and whether it can serve. Liveness does not depend on Redis or
// Postgres, because restarting the process would not repair them.

import { withDeadline } from '../../shared/deadline.ts'
import type { HttpResponse } from '../http/exchange.ts'
import type { Pool } from '../postgres/sql.ts'

export interface Health {
  state: 'starting' | 'serving' | 'draining'
  alive(): HttpResponse
  ready(): Promise<HttpResponse>
}

const checkLimitMs = 1_000

export function createHealth(sql: Pool): Health {
  return {
    state: 'starting',
    alive: () => json(200, { status: 'alive' }),
    async ready() {
      if (this.state !== 'serving') return json(503, { status: this.state })
      const postgres = await withDeadline(sql`select 1`, checkLimitMs, 'postgres').then(
        () => true,
        () => false,
      )
      return postgres ? json(200, { status: 'serving' }) : json(503, { status: 'postgres unreachable' })
    },
  }
}

const json = (status: number, body: object): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
})
