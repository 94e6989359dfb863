import type { ComponentChildren } from 'preact'
import type { OverviewRecord } from '../../../../contract/records/overview.ts'
import { count, plural } from '../../core/format.ts'
import { hrefOf, withQuery } from '../../core/router.ts'
import { Sparkline } from '../../parts/sparkline.tsx'

// The server counts only up to this number.
const CAP = 10_000
const shown = (value: number): string => (value >= CAP ? `${count(CAP)}+` : count(value))

export function Figures({ overview }: { readonly overview: OverviewRecord }) {
  const { calls, messages, deliveries, campaignsRunning } = overview
  const log = (state: string) => `${hrefOf('deliveries')}?state=${state}`
  return (
    <section class="figures" aria-label="Figures">
      <Messages perMinute={messages.perMinute} />
      <Figure title="Live calls" href={hrefOf('calls')} value={calls.live}>
        {calls.live === 0 ? 'Nobody is on the line' : 'Ringing or talking now'}
      </Figure>
      <Figure title="Campaigns running" href={hrefOf('campaigns')} value={campaignsRunning}>
        {campaignsRunning === 0 ? 'None is sending' : 'Sending now'}
      </Figure>
      <Figure title="Deliveries pending" href={log('PENDING')} value={deliveries.pending}>
        Wait for their first attempt
      </Figure>
      <Figure title="Deliveries retrying" href={log('RETRYING')} value={deliveries.retrying} tone="warn">
        Failed, and will be sent again
      </Figure>
      <Figure title="Deliveries failed" href={log('FAILED')} value={deliveries.failedToday} tone="bad">
        Today, for good (UTC)
      </Figure>
      <Figure title="Messages failed" href={failedToday()} value={messages.failedToday} tone="bad">
        Today (UTC)
      </Figure>
    </section>
  )
}

/** Of the same day as the figure. */
const failedToday = (): string => {
  const since = `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z`
  return withQuery(hrefOf('messages'), new URLSearchParams({ status: 'FAILED', since }))
}

function Messages({ perMinute }: { readonly perMinute: readonly number[] }) {
  const total = perMinute.reduce((sum, minute) => sum + minute, 0)
  const most = Math.max(...perMinute, 0)
  const now = perMinute.at(-1) ?? 0
  const told =
    total === 0
      ? 'None was sent or received'
      : `${plural(now, 'message')} this minute, at most ${count(most)} a minute`
  return (
    <a class="figure wide" href={hrefOf('messages')}>
      <h2>Messages in the last hour</h2>
      <strong>{shown(total)}</strong>
      <Sparkline values={perMinute} label={`Messages a minute over the last hour: ${told}`} />
      <small>{told}</small>
    </a>
  )
}

/** The tone applies only if the value is above zero. */
const Figure = ({
  title,
  value,
  href,
  tone,
  children,
}: {
  readonly title: string
  readonly value: number
  readonly href: string
  readonly tone?: 'warn' | 'bad'
  readonly children: ComponentChildren
}) => (
  <a class={value > 0 && tone ? `figure ${tone}` : 'figure'} href={href}>
    <h2>{title}</h2>
    <strong>{shown(value)}</strong>
    <small>{children}</small>
  </a>
)
