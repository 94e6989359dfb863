// Shows the seed of a second factor for an authenticator app, and verifies with a code that the app has it.
import { useState } from 'preact/hooks'
import { api } from '../../core/api.ts'
import { useAction } from '../../core/load.ts'
import { CopyButton } from '../../parts/code.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { QrCode } from './qr-code.tsx'

export interface Offer {
  readonly seed: string
  readonly uri: string
}

export function Enrol({
  offer: { seed, uri },
  isMove,
  onClose,
  onDone,
}: {
  readonly offer: Offer
  /** The account has a second factor, which this one replaces. */
  readonly isMove: boolean
  onClose(): void
  onDone(answer: { readonly recoveryCodes: readonly string[] }): Promise<void>
}) {
  const [code, setCode] = useState('')
  const [password, setPassword] = useState('')
  const action = useAction()
  const submit = () =>
    action.run(async () => onDone(await api.put('/me/totp', { password, code: code.replaceAll(' ', '') })))
  return (
    <FormDialog
      title={isMove ? 'Move the second factor' : 'Turn on the second factor'}
      submit={isMove ? 'Move' : 'Turn on'}
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <p>
        Scan this with an authenticator app, or type the seed into it. Your other sessions end
        {isMove && ', and the codes of the former app and your recovery codes are void'}.
      </p>
      <div class="enrol">
        <QrCode text={uri} label="QR code with the seed, for an authenticator app" />
        <div class="stack">
          <span class="hint">Seed</span>
          <code class="seed">{seed.replaceAll(/.{4}(?=.)/g, '$& ')}</code>
          <div>
            <CopyButton text={seed} what="the seed" />
          </div>
        </div>
      </div>
      <div class="columns">
        <Field
          label="Six-digit code"
          hint="What the app shows now."
          inputMode="numeric"
          autocomplete="one-time-code"
          maxLength={7}
          value={code}
          error={action.error?.of('code')}
          onInput={setCode}
        />
        <Field
          label="Password"
          type="password"
          autocomplete="current-password"
          value={password}
          error={action.error?.of('password')}
          onInput={setPassword}
        />
      </div>
    </FormDialog>
  )
}
