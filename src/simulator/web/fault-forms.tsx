import type { ComponentChildren } from 'preact'
import { useId, useState } from 'preact/hooks'
import type { FaultRule } from '../views.ts'
import { addRule, changeWebhooks, type Doing } from './fault-rules.ts'

const targets = [
  ['messages', 'Messages'],
  ['calls', 'Call actions'],
  ['media', 'Uploads'],
  ['download', 'Downloads'],
  ['*', 'Everything'],
] as const

/** The effects of a rule. `value` describes the number that an effect needs. */
const effects: readonly {
  readonly id: string
  readonly title: string
  readonly value?: { readonly label: string; readonly initial: number }
  rule(value: number): Partial<FaultRule>
}[] = [
  {
    id: 'code',
    title: 'Fail with a code',
    value: { label: 'Code', initial: 131026 },
    rule: (code) => ({ code }),
  },
  {
    id: 'status',
    title: 'Fail with an HTTP status',
    value: { label: 'Status', initial: 503 },
    rule: (status) => ({ status }),
  },
  {
    id: 'throttle',
    title: 'Throttle (130429)',
    value: { label: 'Above, a second', initial: 5 },
    rule: (abovePerSecond) => ({ abovePerSecond, code: 130429 }),
  },
  {
    id: 'delay',
    title: 'Delay',
    value: { label: 'Milliseconds', initial: 3000 },
    rule: (delayMs) => ({ delayMs }),
  },
  { id: 'before', title: 'Drop the connection before', rule: () => ({ dropConnection: 'before' }) },
  { id: 'after', title: 'Drop the connection after', rule: () => ({ dropConnection: 'after' }) },
  { id: 'hang', title: 'Never answer', rule: () => ({ hang: true }) },
]

export function RuleForm({ doing }: { readonly doing: Doing }) {
  const [match, setMatch] = useState('messages')
  const [effectId, setEffectId] = useState('code')
  const [value, setValue] = useState('131026')
  const [to, setTo] = useState('')
  const [times, setTimes] = useState('')
  const effect = effects.find(({ id }) => id === effectId)
  const choose = (id: string) => {
    setEffectId(id)
    setValue(String(effects.find((one) => one.id === id)?.value?.initial ?? ''))
  }
  const submit = () => {
    const limits = { ...(to !== '' && { to }), ...(times !== '' && { times: Number(times) }) }
    if (effect) void doing(addRule({ match, ...effect.rule(Number(value)), ...limits }))
  }
  return (
    <Form button="Add rule" onSubmit={submit}>
      <Pick label="Requests" value={match} options={targets} onChange={setMatch} />
      <Pick
        label="What happens"
        value={effectId}
        options={effects.map(({ id, title }) => [id, title] as const)}
        onChange={choose}
      />
      {effect?.value && <Input label={effect.value.label} value={value} isRequired onInput={setValue} />}
      <Input label="Number ends in" placeholder="any" value={to} onInput={setTo} />
      <Input label="Times" placeholder="always" value={times} onInput={setTimes} />
    </Form>
  )
}

const kinds = [
  ['', 'All'],
  ['message', 'Messages of handsets'],
  ['status', 'Statuses of messages'],
  ['call', 'Calls'],
] as const

export function WebhookForm({ doing }: { readonly doing: Doing }) {
  const [kind, setKind] = useState('')
  const [delay, setDelay] = useState('0')
  const [reorder, setReorder] = useState('0')
  const [repeat, setRepeat] = useState('0')
  const [failFirst, setFailFirst] = useState('0')
  const [batch, setBatch] = useState('1')
  const submit = () =>
    void doing(
      changeWebhooks({
        only: kind === '' ? undefined : [kind],
        delayMs: Number(delay),
        reorderMs: Number(reorder),
        repeat: Number(repeat),
        failFirst: Number(failFirst),
        batch: Number(batch),
      }),
    )
  return (
    <Form button="Apply" onSubmit={submit}>
      <Pick label="Webhooks" value={kind} options={kinds} onChange={setKind} />
      <Input label="Late by (ms)" value={delay} isRequired onInput={setDelay} />
      <Input label="Shuffled within (ms)" value={reorder} isRequired onInput={setReorder} />
      <Input label="Repeats" value={repeat} isRequired onInput={setRepeat} />
      <Input label="Answers ignored" value={failFirst} isRequired onInput={setFailFirst} />
      <Input label="Updates in one" value={batch} isRequired onInput={setBatch} />
    </Form>
  )
}

const Form = ({
  button,
  children,
  onSubmit,
}: {
  readonly button: string
  readonly children: ComponentChildren
  onSubmit(): void
}) => (
  <form
    class="fault-form"
    onSubmit={(event) => {
      event.preventDefault()
      onSubmit()
    }}
  >
    {children}
    <button type="submit" class="button primary">
      {button}
    </button>
  </form>
)

function Pick({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, label: string])[]
  onChange(value: string): void
}) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([option, title]) => (
          <option key={option} value={option}>
            {title}
          </option>
        ))}
      </select>
    </div>
  )
}

/** Accepts whole numbers only. */
function Input({
  label,
  value,
  placeholder,
  isRequired = false,
  onInput,
}: {
  readonly label: string
  readonly value: string
  readonly placeholder?: string
  readonly isRequired?: boolean
  onInput(value: string): void
}) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        inputMode="numeric"
        pattern="\d*"
        autocomplete="off"
        required={isRequired}
        {...(placeholder !== undefined && { placeholder })}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  )
}
