// The gateway's requests to the provider and the provider's webhooks to the gateway, newest first.
import { useEffect, useState } from 'preact/hooks'
import type { RequestRow, WebhookRow } from '../views.ts'
import { control, messageOf } from './control.ts'
import { Icon } from './icon.tsx'
import { requests, webhooks } from './live.ts'
import { clock, duration, pretty } from './words.ts'

const MOST_SHOWN = 150

type Row = ({ readonly kind: 'requests' } & RequestRow) | ({ readonly kind: 'webhooks' } & WebhookRow)

const shows = [
  ['all', 'All'],
  ['requests', 'Requests'],
  ['webhooks', 'Webhooks'],
] as const

export function Wire() {
  const [shown, setShown] = useState<(typeof shows)[number][0]>('all')
  const [clearedAt, setClearedAt] = useState('')
  const rows: Row[] = [
    ...(shown === 'webhooks' ? [] : requests.value.map((row) => ({ kind: 'requests' as const, ...row }))),
    ...(shown === 'requests' ? [] : webhooks.value.map((row) => ({ kind: 'webhooks' as const, ...row }))),
  ]
    .filter(({ at }) => at > clearedAt)
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, MOST_SHOWN)
  return (
    <>
      <div class="wire-bar">
        <fieldset class="segments" aria-label="Shown">
          {shows.map(([id, title]) => (
            <button key={id} type="button" aria-pressed={shown === id} onClick={() => setShown(id)}>
              {title}
            </button>
          ))}
        </fieldset>
        <button
          type="button"
          class="button quiet small"
          onClick={() => setClearedAt(new Date().toISOString())}
        >
          Clear
        </button>
      </div>
      {rows.length === 0 && (
        <p class="nothing">
          Requests of the gateway and webhooks to it appear here as they happen. Open one to read its body.
        </p>
      )}
      <ul class="wire">
        {rows.map((row) => (
          <WireRow key={`${row.kind}${row.seq}`} row={row} />
        ))}
      </ul>
    </>
  )
}

function WireRow({ row }: { readonly row: Row }) {
  const [isOpen, setOpen] = useState(false)
  const id = `${row.kind}-${row.seq}`
  const { title, result, tone } = row.kind === 'requests' ? requestWords(row) : webhookWords(row)
  return (
    <li class={isOpen ? 'is-open' : undefined}>
      <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        <span
          class={`way ${row.kind}`}
          title={row.kind === 'requests' ? 'From the gateway' : 'To the gateway'}
        >
          <Icon name={row.kind === 'requests' ? 'in' : 'out'} />
          <span class="visually-hidden">{row.kind === 'requests' ? 'Request' : 'Webhook'}</span>
        </span>
        <code class="wire-title">{title}</code>
        <span class={`result ${tone}`}>{result}</span>
        <time dateTime={row.at}>{clock(row.at)}</time>
      </button>
      {isOpen && <Details id={id} row={row} />}
    </li>
  )
}

const requestWords = ({ method, path, status }: RequestRow) => ({
  title: `${method} ${path.replace(/^\/v[\d.]+\/\d+(?=\/)/, '')}`,
  result: status === null ? 'no answer' : String(status),
  tone: status !== null && status < 400 ? 'good' : 'bad',
})

function webhookWords({ kinds, outcome, attemptCount, answer }: WebhookRow) {
  const times = attemptCount > 1 ? ` ×${attemptCount}` : ''
  if (outcome === 'delivered') return { title: kinds.join(', '), result: `200${times}`, tone: 'good' }
  if (outcome === 'pending') {
    const said = attemptCount === 0 ? 'on its way' : `${answer}${times}, again soon`
    return { title: kinds.join(', '), result: said, tone: attemptCount === 0 ? '' : 'bad' }
  }
  return { title: kinds.join(', '), result: outcome.replace('-', ' '), tone: 'bad' }
}

function Details({ id, row }: { readonly id: string; readonly row: Row }) {
  const [details, setDetails] = useState<Readonly<Record<string, unknown>>>()
  const [problem, setProblem] = useState('')
  const state = row.kind === 'webhooks' ? `${row.outcome} ${row.attemptCount}` : ''
  useEffect(() => {
    control<Readonly<Record<string, unknown>>>('GET', `${row.kind}/${row.seq}`).then(setDetails, (error) =>
      setProblem(messageOf(error)),
    )
  }, [row.kind, row.seq, state])
  return (
    <div id={id} class="wire-details">
      {problem && <p class="field-error">{problem}</p>}
      {details && row.kind === 'requests' && (
        <>
          <p class="hint">
            {row.method} <code>{row.path}</code>, answered after {duration(row.durationMs)}
          </p>
          <Body title="Request" value={details['body']} />
          <Body title={`Answer ${row.status ?? ''}`} value={details['answer']} />
        </>
      )}
      {details && row.kind === 'webhooks' && (
        <>
          <Body title="Body" value={details['body']} />
          <Body title="Attempts" value={details['attempts']} />
        </>
      )}
    </div>
  )
}

const Body = ({ title, value }: { readonly title: string; readonly value: unknown }) =>
  value === null || value === undefined ? (
    <p class="hint">{title}: nothing to show.</p>
  ) : (
    <section aria-label={title}>
      <h3>{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a scrollable area. */}
      <pre tabIndex={0}>
        <code>{pretty(value)}</code>
      </pre>
    </section>
  )
