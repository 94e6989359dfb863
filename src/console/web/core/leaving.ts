// Leaves all that is shown. Asks first if something typed is not saved.
import { ROOT } from './router.ts'
import { signOut } from './session.ts'
import { sayError } from './toasts.ts'
import { mayLeave } from './unsaved.ts'

export async function leaveAndSignOut(): Promise<void> {
  if (await mayLeave()) await signOut().catch(sayError)
}

/** All loaded state belongs to the workspace that is left, so the page is loaded again. */
export async function leaveForWorkspace(id: string, page = ''): Promise<void> {
  if (await mayLeave()) location.assign(`${ROOT}/${id}/${page}`)
}
