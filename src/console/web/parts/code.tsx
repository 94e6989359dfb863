import { useEffect, useRef, useState } from 'preact/hooks'
import { writeClipboard } from '../core/clipboard.ts'
import { Icon } from './icon.tsx'

const DONE_MS = 2_000

/** Shows and announces by itself that it has copied. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [isDone, setDone] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = async () => {
    await writeClipboard(text)
    setDone(true)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => setDone(false), DONE_MS)
  }
  return (
    <button type="button" class="button quiet small copy" onClick={() => void copy()}>
      <Icon name={isDone ? 'check' : 'copy'} />
      <span role="status">{isDone ? 'Copied' : label}</span>
    </button>
  )
}

export const CodeBlock = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <div class="code-block">
    <div class="code-bar">
      <span>{label}</span>
      <CopyButton text={text} />
    </div>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard. */}
    <pre tabIndex={0}>
      <code>{text}</code>
    </pre>
  </div>
)
