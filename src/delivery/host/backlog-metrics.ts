// A worker's metrics of all endpoints, sampled at intervals, so that a scrape needs no query.
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Backlog } from '../store/backlog.store.ts'

export function createBacklogMetrics(registry: Registry) {
  const registers = [registry]
  const gauge = (name: string, help: string, ...labelNames: string[]) =>
    new Gauge({ name: `switchboard_${name}`, help, labelNames, registers })
  const oldest = gauge('oldest_waiting_seconds', 'Age of the oldest event that waits', 'lane')
  const held = gauge('deliveries_held', 'Deliveries held for endpoints that are or were off')
  const disabled = gauge('endpoints_disabled', 'Endpoints that are off, and who did it', 'by')
  const wakeups = new Counter({
    name: 'switchboard_sweeper_wakeups_total',
    help: 'Endpoints whose owner the sweeper had to wake: rows that waited too long',
    registers,
  })
  return {
    sampled(backlog: Backlog): void {
      oldest.set({ lane: 'first' }, backlog.oldest.first)
      oldest.set({ lane: 'retry' }, backlog.oldest.retry)
      held.set(backlog.held)
      disabled.set({ by: 'failures' }, backlog.disabled.byFailures)
      disabled.set({ by: 'operator' }, backlog.disabled.byOperator)
    },
    woken: (endpoints: number) => wakeups.inc(endpoints),
  }
}
