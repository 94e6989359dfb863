// Sends a test event to this endpoint only, and shows its outcome at once.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { EventKind } from '../../../../contract/events.ts'
import type { DeliveryDetail, EndpointRecord } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { useAction } from '../../core/load.ts'
import { hrefOf } from '../../core/router.ts'
import { Button } from '../../parts/button.tsx'
import { Section } from '../../parts/facts.tsx'
import { Select } from '../../parts/field.tsx'
import { Note, Problem } from '../../parts/states.tsx'

interface Answer {
  readonly event: EventKind
  readonly deliveryId?: string
  readonly outcome?: { readonly type: 'delivered' } | { readonly type: 'failed'; readonly message: string }
}

interface Verdict {
  readonly isGood: boolean
  readonly text: string
  readonly deliveryId?: string
}

// An attempt may take ten seconds, and its row is written a moment later.
const WAIT_MS = 15_000
const LOOK_MS = 300

export function TestEvent({ record, onDone }: { readonly record: EndpointRecord; onDone(): void }) {
  const [event, setEvent] = useState<string>(record.events[0] ?? 'message.status')
  const [verdict, setVerdict] = useState<Verdict>()
  const action = useAction()
  const left = useRef(new AbortController())
  useEffect(() => () => left.current.abort(), [])
  const send = () =>
    action.run(async () => {
      setVerdict(undefined)
      const answer = await api.post<Answer>(inWorkspace(`/endpoints/${record.id}/test`), { event })
      setVerdict(await verdictOf(answer, left.current.signal))
      onDone()
    })
  return (
    <Section title="Test event">
      <div class="row">
        <Select
          label="Event"
          value={event}
          options={record.events.map((kind) => ({ value: kind, label: kind }))}
          onChange={setEvent}
        />
        <Button isBusy={action.isBusy} onClick={() => void send()}>
          {action.isBusy ? 'Waiting for the answer…' : 'Send test event'}
        </Button>
      </div>
      <div role="status">
        {verdict && (
          <Note tone={verdict.isGood ? 'good' : 'bad'}>
            <p>
              {verdict.text}{' '}
              {verdict.deliveryId && (
                <a href={hrefOf('deliveries', verdict.deliveryId)}>Request and answer</a>
              )}
            </p>
          </Note>
        )}
      </div>
      <Problem error={action.error} />
    </Section>
  )
}

async function verdictOf({ event, outcome, deliveryId }: Answer, left: AbortSignal): Promise<Verdict> {
  if (outcome?.type === 'delivered') return { isGood: true, text: `The receiver took ${event}.` }
  if (outcome) return { isGood: false, text: `The receiver did not take ${event}: ${outcome.message}.` }
  if (deliveryId === undefined) return { isGood: false, text: 'Nothing was sent.' }
  const deadline = performance.now() + WAIT_MS
  while (performance.now() < deadline && !left.aborted) {
    const detail = await api.get<DeliveryDetail>(inWorkspace(`/deliveries/${deliveryId}`), left)
    const attempt = detail.attempts.at(-1)
    if (attempt) return { ...attemptVerdict(detail, attempt), deliveryId }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
  return { isGood: false, text: 'No attempt has ended yet.', deliveryId }
}

function attemptVerdict(
  { state }: DeliveryDetail,
  { statusCode, durationMs, error }: DeliveryDetail['attempts'][number],
): Omit<Verdict, 'deliveryId'> {
  const answered = statusCode === null ? 'No answer' : `Answered ${statusCode}`
  const text = `${answered} after ${Math.round(durationMs)} ms${error === null ? '.' : `: ${error}.`}`
  return { isGood: state === 'DELIVERED', text }
}
