// A secret that is shown this one time. The dialog goes only when somebody says that it is kept.
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
  children,
  onClose,
}: {
  readonly title: string
  readonly label: string
  readonly secret: string
  readonly children?: ComponentChildren
  onClose(): void
}) {
  const [isKept, setKept] = useState(false)
  return (
    <Dialog title={title} isLocked onClose={onClose}>
      <DialogBody>
        {children}
        <p>Copy it now and keep it where your secrets are. It cannot be shown again.</p>
        <div class="secret">
          <span class="secret-label">{label}</span>
          <code>{secret}</code>
          <CopyButton text={secret} />
        </div>
        <Note tone="warn">Whoever has it can act in its name. Do not send it by mail or chat.</Note>
        <Check label="I have stored it safely" checked={isKept} onChange={setKept} />
      </DialogBody>
      <DialogActions>
        <Button look="primary" disabled={!isKept} onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}
