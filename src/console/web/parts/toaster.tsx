import { dismiss, toasts } from '../core/toasts.ts'
import { IconButton } from './button.tsx'
import { Icon } from './icon.tsx'

/** Always rendered, so that screen readers announce new notices. */
export const Toaster = () => (
  <div class="toaster" role="log" aria-live="polite" aria-label="Notices">
    {toasts.value.map(({ id, tone, text }) => (
      <div key={id} class={`toast ${tone}`}>
        <Icon name={tone === 'good' ? 'check' : 'warning'} />
        <p>{text}</p>
        <IconButton label="Dismiss" icon="close" onClick={() => dismiss(id)} />
      </div>
    ))}
  </div>
)
