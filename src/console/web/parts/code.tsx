import { useEffect, useRef, useState } from 'preact/hooks'
import { writeClipboard } from '../core/clipboard.ts'
import { sayError } from '../core/toasts.ts'
import { Icon } from './icon.tsx'

const DONE_MS = 2_000

/** Shows and announces by itself that it has copied. `what` is for those who hear the button: "endpoint ID". */
export function CopyButton({
  text,
  label = 'Copy',
  what,
  isBare = false,
}: {
  readonly text: string
  readonly label?: string
  readonly what?: string
  /** Only the icon. */
  readonly isBare?: boolean
}) {
  const [isDone, setDone] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = async () => {
    await writeClipboard(text)
    setDone(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setDone(false), DONE_MS)
  }
  const name = what === undefined ? label : `${label} ${what}`
  return (
    <>
      <button
        type="button"
        class={`button quiet small copy${isBare ? ' icon-only' : ''}`}
        aria-label={name}
        title={isBare ? name : undefined}
        onClick={() => void copy().catch(sayError)}
      >
        <Icon name={isDone ? 'check' : 'copy'} />
        {!isBare && <span>{isDone ? 'Copied' : label}</span>}
      </button>
      <span role="status" class="visually-hidden">
        {isDone ? 'Copied' : ''}
      </span>
    </>
  )
}

/** An id or an address with its button. */
export const Copyable = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <span class="copyable">
    <code>{text}</code>
    <CopyButton text={text} what={what} isBare />
  </span>
)

export const CodeBlock = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <div class="code-block">
    <div class="code-bar">
      <span>{label}</span>
      <CopyButton text={text} what={label.charAt(0).toLowerCase() + label.slice(1)} />
    </div>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard. */}
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  </div>
)
