// Health checks: whether the process is alive, and whether it can serve. Liveness does not depend on Redis or
// Postgres, because restarting the process would not repair them.
import type { HttpResponse } from '../http/exchange.ts'
import type { PostgresWatch } from '../postgres/watch.ts'

export interface Health {
  state: 'starting' | 'serving' | 'draining'
  alive(): HttpResponse
  ready(): HttpResponse
}

export const createHealth = (postgres: Pick<PostgresWatch, 'awayMs'>): Health => ({
  state: 'starting',
  alive: () => json(200, { status: 'alive' }),
  ready() {
    if (this.state !== 'serving') return json(503, { status: this.state })
    return postgres.awayMs() === 0
      ? json(200, { status: 'serving' })
      : json(503, { status: 'postgres unreachable' })
  },
})

const json = (status: number, body: object): HttpResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
  body: JSON.stringify(body),
})
