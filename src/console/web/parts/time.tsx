import { ago, exact, now } from '../core/format.ts'

/** The time relative to now, with the exact time as a tooltip. */
export const Ago = ({ at, none = '—' }: { readonly at: string | null; readonly none?: string }) =>
  at === null ? (
    <span class="dim">{none}</span>
  ) : (
    <time dateTime={at} title={exact(at)}>
      {/* `now` ticks rarely: without Date.now() an event since the last tick would lie in the future. */}
      {ago(at, Math.max(now.value, Date.now()))}
    </time>
  )
