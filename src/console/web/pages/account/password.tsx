import { useState } from 'preact/hooks'
import { api } from '../../core/api.ts'
import { settleSignIn } from '../../core/ended-session.ts'
import { useAction } from '../../core/load.ts'
import { loadMe, me } from '../../core/session.ts'
import { say } from '../../core/toasts.ts'
import { Button } from '../../parts/button.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { NewPassword } from '../../parts/new-password.tsx'
import { emptyFactor, factorOf, SecondFactor } from '../../parts/second-factor.tsx'

export function Password() {
  const [isChanging, setChanging] = useState(false)
  return (
    <>
      <Button onClick={() => setChanging(true)}>Change password</Button>
      {isChanging && <ChangePassword onClose={() => setChanging(false)} />}
    </>
  )
}

function ChangePassword({ onClose }: { onClose(): void }) {
  const [password, setPassword] = useState('')
  const [wanted, setWanted] = useState('')
  const [again, setAgain] = useState('')
  const [isTried, setTried] = useState(false)
  const [factor, setFactor] = useState(emptyFactor)
  const action = useAction()
  // The second factor may have been turned on in another window since this one was opened.
  const needsFactor = me.value?.operator.totp === true || action.error?.of('totp') !== undefined
  const differs = again !== wanted ? 'The two are not the same' : undefined
  const submit = async () => {
    setTried(true)
    if (differs) return
    const isDone = await action.run(async () => {
      await api.put('/me/password', { password, newPassword: wanted, ...(needsFactor && factorOf(factor)) })
      // The old session has ended, and the live socket with it; nobody has to sign in, because the answer brought a new one.
      settleSignIn(true)
      // A recovery code may have been used.
      if (needsFactor) await loadMe()
    })
    if (!isDone) return
    say('Your password is changed. Every other session has ended.')
    onClose()
  }
  return (
    <FormDialog
      title="Change your password"
      submit="Change password"
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <p>Every session of yours ends, on every device, except this one.</p>
      <input type="hidden" name="email" autocomplete="username" value={me.value?.operator.email} />
      <Field
        label="Current password"
        type="password"
        autocomplete="current-password"
        value={password}
        error={action.error?.of('password')}
        onInput={setPassword}
      />
      {needsFactor && (
        <SecondFactor
          draft={factor}
          error={action.error?.of('totp') ?? action.error?.of('recoveryCode')}
          onChange={setFactor}
        />
      )}
      <NewPassword
        label="New password"
        value={wanted}
        error={action.error?.of('newPassword')}
        onInput={setWanted}
      />
      <Field
        label="New password again"
        type="password"
        autocomplete="new-password"
        value={again}
        error={isTried ? differs : undefined}
        onInput={setAgain}
      />
    </FormDialog>
  )
}
