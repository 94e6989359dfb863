// Asks the signed-in operator for the password again. The requests that wait for it then continue.
import { useEffect, useState } from 'preact/hooks'
import { knownPassword, settleConfirmation } from './core/confirmation.ts'
import { useAction } from './core/load.ts'
import { confirm, me } from './core/session.ts'
import { FormDialog } from './parts/dialog.tsx'
import { Field } from './parts/field.tsx'
import { emptyFactor, factorOf, SecondFactor } from './parts/second-factor.tsx'

export function StepUp() {
  const [known] = useState(knownPassword)
  const [password, setPassword] = useState(known)
  const [factor, setFactor] = useState(emptyFactor)
  const action = useAction()
  const { error } = action
  // The second factor may have been turned on in another window since this one was opened.
  const needsFactor = me.value?.operator.totp === true || error?.of('totp') !== undefined
  // Waiting requests must settle, whatever unmounts the dialog.
  useEffect(() => () => settleConfirmation(false), [])
  const submit = () =>
    action.run(async () => {
      await confirm({ password, ...(needsFactor && factorOf(factor)) })
      settleConfirmation(true)
    })
  return (
    <FormDialog
      title="Confirm that it is you"
      submit="Confirm"
      isBusy={action.isBusy}
      isFleeting
      error={error}
      onClose={() => settleConfirmation(false)}
      onSubmit={() => void submit()}
    >
      <p>
        {known === ''
          ? 'This shows a secret, or changes who may do what or where messages go, and you gave your password a while ago. Give it again for the next ten minutes.'
          : 'This changes a secret, and you signed in a while ago.'}
      </p>
      <input type="hidden" name="email" autocomplete="username" value={me.value?.operator.email} />
      {(known === '' || !needsFactor || error?.of('password') !== undefined) && (
        <Field
          label="Password"
          type="password"
          name="password"
          autocomplete="current-password"
          value={password}
          error={error?.of('password')}
          onInput={setPassword}
        />
      )}
      {needsFactor && (
        <SecondFactor
          draft={factor}
          error={error?.of('totp') ?? error?.of('recoveryCode')}
          onChange={setFactor}
        />
      )}
    </FormDialog>
  )
}
