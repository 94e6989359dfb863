// Shows a secret once. The dialog closes only after the operator confirms that the secret is stored.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { CopyButton } from './code.tsx'
import { Dialog, DialogActions, DialogBody } from './dialog.tsx'
import { Check } from './field.tsx'
import { Note } from './states.tsx'

export function SecretOnce({
  title,
  label,
  secret,
  keep = 'Copy it now and keep it where your secrets are. It cannot be shown again.',
  warning = 'Whoever has it can act in its name. Do not send it by mail or chat.',
  done = 'I have stored it safely',
  children,
  onClose,
}: {
  readonly title: string
  readonly label: string
  readonly secret: string
  /** Texts: how to store it (`keep`), what it allows (`warning`), and what the operator confirms (`done`). */
  readonly keep?: string
  readonly warning?: string
  readonly done?: string
  readonly children?: ComponentChildren
  onClose(): void
}) {
  const [isKept, setKept] = useState(false)
  return (
    <Dialog title={title} isLocked onClose={onClose}>
      <DialogBody>
        {children}
        <p>{keep}</p>
        <div class="secret">
          <span class="secret-label">{label}</span>
          <code>{secret}</code>
          <CopyButton text={secret} what={label} />
        </div>
        <Note tone="warn">{warning}</Note>
        <Check label={done} checked={isKept} onChange={setKept} />
      </DialogBody>
      <DialogActions>
        <Button look="primary" disabled={!isKept} onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
