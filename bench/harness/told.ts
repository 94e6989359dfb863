import { isSound } from './figures.ts'
import { decode, spreadOf } from './histogram.ts'
import type { Figures } from './measure.ts'

/** One line about a run, while the bench goes on. */
export function told({ fromPlan, perSecond, cpu, others, errors }: Figures): string {
  const { p50, p99, max } = spreadOf(decode(fromPlan))
  const ms = [`p50 ${p50.toFixed(2)}`, `p99 ${p99.toFixed(2)}`, `max ${max.toFixed(2)} ms`].join(' ')
  const micros = cpu.all === null ? '' : `, ${cpu.all.toFixed(0)} us`
  const noise = others === null ? '' : `, others ${others.toFixed(2)} cores`
  const failed = isSound(errors) ? '' : `, FAILED: ${JSON.stringify(errors)}`
  return `${ms}, ${perSecond.toFixed(0)} a second${micros}${noise}${failed}`
}
