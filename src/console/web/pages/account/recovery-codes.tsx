// Shows recovery codes once. The dialog closes only after the operator confirms that they are stored.
import { useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/code.tsx'
import { Dialog, DialogActions, DialogBody } from '../../parts/dialog.tsx'
import { Check } from '../../parts/field.tsx'

export function RecoveryCodes({
  email,
  codes,
  onClose,
}: {
  readonly email: string
  readonly codes: readonly string[]
  onClose(): void
}) {
  const [isKept, setKept] = useState(false)
  return (
    <Dialog title="Your recovery codes" isLocked onClose={onClose}>
      <DialogBody>
        <p>Each signs you in once in place of the app’s code. Keep them where your phone is not.</p>
        <div class="printed">
          <p class="print-only">Switchboard recovery codes of {email}</p>
          <ul class="recovery-codes" aria-label="Recovery codes">
            {codes.map((code) => (
              <li key={code}>
                <code>{code}</code>
              </li>
            ))}
          </ul>
        </div>
        <div class="inline keeping">
          <CopyButton text={codes.join('\n')} what="all codes" />
          <Button look="quiet" icon="download" onClick={() => download(email, codes)}>
            Download
          </Button>
          <Button look="quiet" icon="print" onClick={() => print()}>
            Print
          </Button>
        </div>
        <p class="hint">They cannot be shown again. Making new ones makes these void.</p>
        <Check label="I have stored them safely" checked={isKept} onChange={setKept} />
      </DialogBody>
      <DialogActions>
        <Button look="primary" disabled={!isKept} onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  )
}

function download(email: string, codes: readonly string[]): void {
  const text = `Switchboard recovery codes of ${email}\nEach is good once.\n\n${codes.join('\n')}\n`
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  link.download = 'switchboard-recovery-codes.txt'
  link.click()
  // By the next task the browser has started the download.
  setTimeout(() => URL.revokeObjectURL(link.href))
}
