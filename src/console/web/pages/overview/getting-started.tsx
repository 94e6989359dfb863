// The first steps of a new workspace. Each step checks existing records, so it marks itself as done.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { NumberRecord } from '../../../../contract/records/catalog.ts'
import type { DeliveryRecord, EndpointRecord, KeyRecord } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { readKept, writeKept } from '../../core/kept.ts'
import { useRepeat } from '../../core/repeat.ts'
import { hrefOf } from '../../core/router.ts'
import { can, workspace } from '../../core/session.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
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

export interface Steps {
  /** Undefined while loading; empty if the operator may not take them, has hidden them, or reading the records fails. */
  readonly steps: readonly Step[] | undefined
  /** From now on in this browser: a workspace may go without some of them. */
  hide(): void
}

const HIDDEN = 'hiddenSteps'
/** The workspaces in which the operator has hidden them. */
const hiddenIn = (): readonly string[] => readKept<readonly string[]>(HIDDEN, localStorage) ?? []

export function useSteps(): Steps {
  const workspaceId = workspace.value?.id ?? ''
  const isHidden = useRef(!can('ADMIN') || hiddenIn().includes(workspaceId))
  const [steps, setSteps] = useState<readonly Step[] | undefined>(isHidden.current ? [] : undefined)
  const look = () =>
    readSteps().then(
      (found) => setSteps(isHidden.current ? [] : found),
      () => setSteps((before) => before ?? []),
    )
  useEffect(() => {
    if (!isHidden.current) void look()
  }, [])
  useRepeat(steps?.some(({ isDone }) => !isDone) ? LOOK_MS : undefined, look)
  return {
    steps,
    hide() {
      isHidden.current = true
      writeKept(HIDDEN, [...hiddenIn(), workspaceId], localStorage)
      setSteps([])
    },
  }
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

export function GettingStarted({ steps, onHide }: { readonly steps: readonly Step[]; onHide(): void }) {
  const next = steps.find(({ isDone }) => !isDone)
  const done = steps.filter(({ isDone }) => isDone).length
  return (
    <Section
      title="Get started"
      actions={
        <span class="inline">
          <span class="dim" role="status">
            {done} of {steps.length} done
          </span>
          <Button look="quiet" onClick={onHide}>
            Hide
          </Button>
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
