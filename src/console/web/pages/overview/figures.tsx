import type { ComponentChildren } from 'preact'
import type { OverviewRecord } from '../../../../contract/records/overview.ts'
import { count, plural } from '../../core/format.ts'
import { hrefOf, withQuery } from '../../core/router.ts'
import { Sparkline } from '../../parts/sparkline.tsx'
import { capped } from './problem-words.ts'

const shown = capped

export function Figures({ overview }: { readonly overview: OverviewRecord }) {
  const { calls, messages, deliveries, campaignsRunning } = overview
  const log = (state: string) => `${hrefOf('deliveries')}?state=${state}`
  const { pending } = deliveries
  return (
    <section class="figures" aria-label="Figures">
      <Messages perMinute={messages.perMinute} />
      <Figure
        title="Messages failed"
        href={lately(hrefOf('messages'), { status: 'FAILED' })}
        value={messages.failedLastDay}
        tone="bad"
      >
        Of the last 24 hours
      </Figure>
      <Figure title="Live calls" href={hrefOf('calls')} value={calls.live}>
        {calls.live === 0 ? 'Nobody is on the line' : 'Ringing or talking now'}
      </Figure>
      <Figure title="Held deliveries" href={log('HELD')} value={deliveries.held} tone="warn">
        {deliveries.held === 0 ? 'None waits for you' : 'Waiting for you to replay or discard'}
      </Figure>
      <Figure title="Retrying" href={log('RETRYING')} value={deliveries.retrying} tone="warn">
        {pending === 0
          ? 'Failed, and will be sent again'
          : `${shown(pending)} more wait for their first attempt`}
      </Figure>
      <Figure
        title="Deliveries failed"
        href={lately(hrefOf('deliveries'), { state: 'FAILED' })}
        value={deliveries.failedLastDay}
        tone="bad"
      >
        For good, of the last 24 hours
      </Figure>
      <Figure title="Campaigns running" href={hrefOf('campaigns')} value={campaignsRunning}>
        {campaignsRunning === 0 ? 'None is sending' : 'Sending now'}
      </Figure>
    </section>
  )
}

const minuteMs = 60_000
const dayMs = 86_400_000

/** A list of what was made within the span of the figure. */
const lately = (list: string, filter: Readonly<Record<string, string>>): string => {
  const since = new Date(Math.floor((Date.now() - dayMs) / minuteMs) * minuteMs).toISOString()
  return withQuery(list, new URLSearchParams({ ...filter, since }))
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
      <strong>{count(total)}</strong>
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
