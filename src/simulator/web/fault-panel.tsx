import { useState } from 'preact/hooks'
import { messageOf } from './control.ts'
import { RuleForm, WebhookForm } from './fault-forms.tsx'
import { addRule, changeWebhooks, clearFaults, type Doing, inForce } from './fault-rules.ts'
import { IconButton } from './icon.tsx'
import { faults } from './live.ts'
import { plural } from './words.ts'

interface Preset {
  readonly title: string
  readonly says: string
  apply(): Promise<unknown>
}

const presets: readonly { readonly title: string; readonly presets: readonly Preset[] }[] = [
  {
    title: 'The provider’s API',
    presets: [
      {
        title: 'Refuse messages',
        says: '131026, undeliverable',
        apply: () => addRule({ match: 'messages', code: 131026 }),
      },
      {
        title: 'Throttle',
        says: '130429 above 5 a second',
        apply: () => addRule({ match: 'messages', code: 130429, abovePerSecond: 5 }),
      },
      {
        title: 'Break down',
        says: 'HTTP 503 to everything',
        apply: () => addRule({ match: '*', status: 503 }),
      },
      { title: 'Token expired', says: '190 to everything', apply: () => addRule({ match: '*', code: 190 }) },
      { title: 'Slow', says: '3 s before each answer', apply: () => addRule({ match: '*', delayMs: 3000 }) },
      {
        title: 'Drop before',
        says: 'cut off, without effect',
        apply: () => addRule({ match: 'messages', dropConnection: 'before' }),
      },
      {
        title: 'Drop after',
        says: 'sent, but the answer is lost',
        apply: () => addRule({ match: 'messages', dropConnection: 'after' }),
      },
      { title: 'Hang', says: 'no answer, ever', apply: () => addRule({ match: 'messages', hang: true }) },
      {
        title: 'Refuse calls',
        says: '138006, no permission',
        apply: () => addRule({ match: 'calls', action: 'connect', code: 138006 }),
      },
    ],
  },
  {
    title: 'Its webhooks',
    presets: [
      { title: 'Repeat', says: 'each comes three times', apply: () => changeWebhooks({ repeat: 2 }) },
      { title: 'Shuffle', says: 'out of order within 2 s', apply: () => changeWebhooks({ reorderMs: 2000 }) },
      { title: 'Late', says: '5 s after the fact', apply: () => changeWebhooks({ delayMs: 5000 }) },
      { title: 'Deaf', says: 'ignores two answers of each', apply: () => changeWebhooks({ failFirst: 2 }) },
      { title: 'Silence', says: 'none is sent', apply: () => changeWebhooks({ silent: true }) },
    ],
  },
]

export function FaultPanel() {
  const [problem, setProblem] = useState('')
  const doing = (work: Promise<unknown>) =>
    work.then(
      () => setProblem(''),
      (error: unknown) => setProblem(messageOf(error)),
    )
  return (
    <div class="faults">
      <Force doing={doing} />
      <div role="alert">{problem && <p class="field-error">{problem}</p>}</div>
      {presets.map((group) => (
        <section key={group.title}>
          <h2>{group.title}</h2>
          <div class="presets">
            {group.presets.map(({ title, says, apply }) => (
              <button key={title} type="button" class="preset" onClick={() => void doing(apply())}>
                <strong>{title}</strong>
                <span>{says}</span>
              </button>
            ))}
          </div>
        </section>
      ))}
      <details>
        <summary>A rule of your own for the API</summary>
        <RuleForm doing={doing} />
      </details>
      <details>
        <summary>Webhooks in detail</summary>
        <WebhookForm doing={doing} />
      </details>
    </div>
  )
}

function Force({ doing }: { readonly doing: Doing }) {
  const effects = inForce(faults.value)
  return (
    <section>
      <div class="force-title">
        <h2>In force</h2>
        <button
          type="button"
          class="button small"
          disabled={effects.length === 0}
          onClick={() => void doing(clearFaults())}
        >
          Clear all
        </button>
      </div>
      {effects.length === 0 && <p class="hint">Nothing. Everything works as it should.</p>}
      <ul class="force">
        {effects.map(({ says, hits, remove }, index) => (
          <li key={`${index}${says}`}>
            <span>{says}</span>
            {hits !== undefined && <span class="hint">{plural(hits, 'hit')}</span>}
            <IconButton label={`Remove: ${says}`} icon="close" onClick={() => void doing(remove())} />
          </li>
        ))}
      </ul>
    </section>
  )
}
