import { ago, exact, inFull, logged, now } from '../core/format.ts'

interface Props {
  readonly at: string | null
  readonly none?: string
}

const None = ({ text }: { readonly text: string }) => <span class="dim">{text}</span>

/** The time relative to now, with the exact time as a tooltip. */
export const Ago = ({ at, none = '—' }: Props) =>
  at === null ? (
    <None text={none} />
  ) : (
    <time dateTime={at} title={exact(at)}>
      {/* `now` ticks rarely: without Date.now() an event since the last tick would lie in the future. */}
      {ago(at, Math.max(now.value, Date.now()))}
    </time>
  )

/** The time to the millisecond, for the rows of logs. */
export const Logged = ({ at, none = '—' }: Props) =>
  at === null ? (
    <None text={none} />
  ) : (
    <time class="logged" dateTime={at} title={exact(at)}>
      {logged(at)}
    </time>
  )

/** The time to the millisecond with its zone, and how long ago: for the details of one record. */
export const Exactly = ({ at }: { readonly at: string }) => (
  <span class="inline">
    <time dateTime={at} title={exact(at)}>
      {inFull(at)}
    </time>
    <span class="dim">
      <Ago at={at} />
    </span>
  </span>
)
