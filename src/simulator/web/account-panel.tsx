// Reports events of the account, and sends webhooks as they are written here.
import { useState } from 'preact/hooks'
import { control, messageOf } from './control.ts'

interface Event {
  readonly title: string
  readonly says: string
  readonly field: string
  readonly value?: Readonly<Record<string, unknown>>
}

const update = (title: string, says: string, value: Readonly<Record<string, unknown>>): Event => ({
  ...{ title, says, value },
  field: 'account_update',
})

const groups: readonly { readonly title: string; readonly events: readonly Event[] }[] = [
  {
    title: 'Account',
    events: [
      update('Restrict', 'no conversations that the business begins', { event: 'ACCOUNT_RESTRICTION' }),
      update('Violation', 'of the policy', { event: 'ACCOUNT_VIOLATION' }),
      update('Disable', 'the account is banned', { event: 'DISABLED_UPDATE' }),
      update('Reinstate', 'the ban ends', {
        event: 'DISABLED_UPDATE',
        ban_info: { waba_ban_state: 'REINSTATE', waba_ban_date: 'November 22, 2026' },
      }),
      update('Disconnect', 'the business leaves', { event: 'ACCOUNT_OFFBOARDED' }),
      { title: 'Alert', says: 'more information is needed', field: 'account_alerts' },
      { title: 'Limit', says: '10,000 a day', field: 'business_capability_update' },
      { title: 'No payment', says: '131042', field: 'errors', value: { code: 131042 } },
    ],
  },
  {
    title: 'Numbers and templates',
    events: [
      { title: 'Faster', says: '1,000 messages a second', field: 'phone_number_quality_update' },
      { title: 'New name', says: 'approved', field: 'phone_number_name_update' },
      { title: 'Bad template', says: 'quality is red', field: 'message_template_quality_update' },
      { title: 'Recategorise', says: 'a template becomes marketing', field: 'template_category_update' },
      { title: 'Flow blocked', says: 'by the provider', field: 'flows' },
      { title: 'PIN changed', says: 'by somebody', field: 'security' },
    ],
  },
]

export function AccountPanel() {
  const [said, setSaid] = useState('')
  const [problem, setProblem] = useState('')
  const doing = (work: Promise<unknown>, done: string) =>
    work.then(
      () => {
        setSaid(done)
        setProblem('')
      },
      (error: unknown) => setProblem(messageOf(error)),
    )
  return (
    <div class="faults">
      <p class="hint">
        What the provider reports about the account. The first number and template are meant.
      </p>
      <div role="alert">{problem && <p class="field-error">{problem}</p>}</div>
      <p role="status" class="hint">
        {said}
      </p>
      {groups.map((group) => (
        <section key={group.title}>
          <h2>{group.title}</h2>
          <div class="presets">
            {group.events.map(({ title, says, field, value }) => (
              <button
                key={title}
                type="button"
                class="preset"
                onClick={() =>
                  void doing(control('POST', `account/${field}`, value ?? {}), `${title}: sent.`)
                }
              >
                <strong>{title}</strong>
                <span>{says}</span>
              </button>
            ))}
          </div>
        </section>
      ))}
      <RawWebhook
        send={(body) => doing(control('POST', 'webhooks', body), 'The webhook was sent.')}
        fail={setProblem}
      />
    </div>
  )
}

const EXAMPLE = '{\n  "field": "messages",\n  "value": {}\n}'

function RawWebhook({ send, fail }: { send(body: unknown): Promise<unknown>; fail(problem: string): void }) {
  const [text, setText] = useState(EXAMPLE)
  return (
    <details>
      <summary>A webhook as it is written here</summary>
      <form
        class="field"
        onSubmit={(event) => {
          event.preventDefault()
          try {
            void send(JSON.parse(text))
          } catch {
            fail('This is not JSON.')
          }
        }}
      >
        <label for="raw-webhook">Field and value, or the whole body as “body”</label>
        <textarea
          id="raw-webhook"
          rows={10}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit" class="button">
          Send it, signed
        </button>
      </form>
    </details>
  )
}
