import { isSignedOut } from './core/api.ts'
import { isConfirming } from './core/confirmation.ts'
import { isSessionEnded } from './core/ended-session.ts'
import { me } from './core/session.ts'
import { isAskingToLeave } from './core/unsaved.ts'
import { AskToLeave } from './leave.tsx'
import { SignInAgain } from './sign-in-again.tsx'
import { StepUp } from './step-up.tsx'

/** The dialogs that may come over any page. */
export const Dialogs = () => (
  <>
    {isConfirming.value && me.value && !isSignedOut.value && <StepUp />}
    {isSessionEnded.value && me.value && <SignInAgain />}
    {isAskingToLeave.value && <AskToLeave />}
  </>
)
