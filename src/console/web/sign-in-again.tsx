// The session ended while somebody works: signs in again over the page, which stays as it is.
import { useEffect, useState } from 'preact/hooks'
import { settleSignIn } from './core/ended-session.ts'
import { useAction } from './core/load.ts'
import { loadMe, me, signIn, startAnew, workspace } from './core/session.ts'
import { AuthProblem, useCountdown } from './parts/auth-form.tsx'
import { Button } from './parts/button.tsx'
import { Dialog, DialogActions, DialogBody } from './parts/dialog.tsx'
import { CodeStep, PasswordStep, useSecondStep } from './sign-in.tsx'

export function SignInAgain() {
  const [operator] = useState(me.value?.operator)
  const [email, setEmail] = useState(operator?.email ?? '')
  const [password, setPassword] = useState('')
  const action = useAction()
  const second = useSecondStep(action)
  const wait = useCountdown(action.error)
  // Somebody else has the page start anew: what one operator wrote is never sent in the name of another.
  const goOn = () => settleSignIn(true)
  useEffect(() => {
    // Somebody may have signed in again in another tab. Past a limit of the workspace the session itself goes on: then
    // nothing tells.
    const look = async () => {
      if (document.visibilityState !== 'visible') return
      await loadMe()
      if (workspace.peek()?.barrier !== 'SESSION_EXPIRED') goOn()
    }
    const lookAgain = () => void look().catch(() => undefined)
    document.addEventListener('visibilitychange', lookAgain)
    return () => document.removeEventListener('visibilitychange', lookAgain)
  }, [])
  return (
    <Dialog title="Your session has ended" isLocked isFleeting onClose={leave}>
      <form
        class="dialog-form"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (wait === 0)
            void action
              .run(() => signIn({ email, password, ...second.given }))
              .then((isDone) => isDone && goOn())
        }}
      >
        <DialogBody>
          <p>Sign in to go on. Everything on this page stays as you left it.</p>
          {second.isOpen ? (
            <CodeStep factor={second.factor} onChange={second.setFactor} />
          ) : (
            <PasswordStep {...{ email, password }} onEmail={setEmail} onPassword={setPassword} />
          )}
          <AuthProblem wait={wait} error={action.error} />
        </DialogBody>
        <DialogActions>
          <Button onClick={leave}>Leave this page</Button>
          <Button type="submit" look="primary" isBusy={action.isBusy} disabled={wait > 0}>
            Sign in
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

const leave = () => void startAnew()
