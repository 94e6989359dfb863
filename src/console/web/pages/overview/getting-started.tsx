// The first steps of a new workspace. Each step checks existing records, so it marks itself as done.
import { useEffect, useState } from 'preact/hooks'
import type { NumberRecord } from '../../../../contract/records/catalog.ts'
import type { DeliveryRecord, EndpointRecord, KeyRecord } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { useRepeat } from '../../core/repeat.ts'
import { hrefOf } from '../../core/router.ts'
import { can } from '../../core/session.ts'
import { LinkButton } from '../../parts/button.tsx'
import { Section } from '../../parts/facts.tsx'
import { Icon } from '../../parts/icon.tsx'

export interface Step {
  readonly title: string
  readonly text: string
  readonly action: string
  readonly href: string
  readonly isDone: boolean
}

const LOOK_MS = 4_000

/** Undefined while loading; empty if the operator may not take the steps or reading the records fails. */
export function useSteps(): readonly Step[] | undefined {
  const mayAct = can('ADMIN')
  const [steps, setSteps] = useState<readonly Step[] | undefined>(mayAct ? undefined : [])
  const look = () =>
    readSteps().then(setSteps, () => {
      setSteps((before) => before ?? [])
    })
  useEffect(() => {
    if (mayAct) void look()
  }, [])
  useRepeat(steps?.some(({ isDone }) => !isDone) ? LOOK_MS : undefined, look)
  return steps
}

async function readSteps(): Promise<Step[]> {
  const read = async <Row,>(path: string, query = {}) =>
    (await api.get<{ data: readonly Row[] }>(inWorkspace(path, query))).data
  const [keys, endpoints, delivered, numbers] = await Promise.all([
    read<KeyRecord>('/keys'),
    read<EndpointRecord>('/endpoints'),
    read<DeliveryRecord>('/deliveries', { state: 'DELIVERED', limit: 1 }),
    read<NumberRecord>('/numbers'),
  ])
  const [endpoint] = endpoints
  return [
    {
      title: 'Make an API key',
      text: 'Your program sends it with each request. It is shown once.',
      action: 'API keys',
      href: hrefOf('keys'),
      isDone: keys.some(({ revokedAt }) => revokedAt === null),
    },
    {
      title: 'Add a webhook endpoint',
      text: 'The address of your receiver, and which events it takes.',
      action: 'Add endpoint',
      href: hrefOf('endpoints'),
      isDone: endpoints.length > 0,
    },
    {
      title: 'Send it a test event',
      text: 'Shows on the spot what your receiver answers.',
      action: 'Send test event',
      href: hrefOf('endpoints', endpoint?.id),
      isDone: delivered.length > 0,
    },
    {
      title: 'Forward a number',
      text: 'Its replies, and its calls if you like, go to your endpoint.',
      action: 'Set up a number',
      href: hrefOf('numbers'),
      isDone: numbers.some(({ replyRouting }) => replyRouting !== null),
    },
  ]
}

export function GettingStarted({ steps }: { readonly steps: readonly Step[] }) {
  const next = steps.find(({ isDone }) => !isDone)
  const done = steps.filter(({ isDone }) => isDone).length
  return (
    <Section
      title="Get started"
      actions={
        <span class="dim" role="status">
          {done} of {steps.length} done
        </span>
      }
    >
      <ol class="steps">
        {steps.map((step) => (
          <li key={step.title} class={step.isDone ? 'done' : undefined}>
            <span class="step-mark">{step.isDone && <Icon name="check" />}</span>
            <div>
              <strong>{step.title}</strong>
              {step.isDone && <span class="visually-hidden"> (done)</span>}
              <p class="dim">{step.text}</p>
            </div>
            {!step.isDone && (
              <LinkButton href={step.href} look={step === next ? 'primary' : 'plain'}>
                {step.action}
              </LinkButton>
            )}
          </li>
        ))}
      </ol>
    </Section>
  )
}
