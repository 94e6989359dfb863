import { ago, exact, now } from '../foundation/format.ts'

/** How long ago; the exact time shows on hovering. */
export const Ago = ({ at, none = '—' }: { readonly at: string | null; readonly none?: string }) =>
  at === null ? (
    <span class="dim">{none}</span>
  ) : (
    <time dateTime={at} title={exact(at)}>
      {/* The clock ticks rarely: what happened since is past as well. */}
      {ago(at, Math.max(now.value, Date.now()))}
    </time>
  )
