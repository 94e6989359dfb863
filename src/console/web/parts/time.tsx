import { ago, exact, now } from '../foundation/format.ts'

/** How long ago; the exact time shows on hovering. */
export const Ago = ({ at, none = '—' }: { readonly at: string | null; readonly none?: string }) =>
  at === null ? (
    <span class="dim">{none}</span>
  ) : (
    <time dateTime={at} title={exact(at)}>
      {ago(at, now.value)}
    </time>
  )
