// Who is there decides what is shown: the sign-in, or the shell with the page of the address.
import { useEffect, useState } from 'preact/hooks'
import { type ApiError, isSignedOut, toApiError } from './foundation/api.ts'
import { isConfirming } from './foundation/confirmation.ts'
import { navigate, place, ROOT, route, withQuery } from './foundation/router.ts'
import { loadMe, me, workspace } from './foundation/session.ts'
import { NoWorkspace } from './no-workspace.tsx'
import { pages } from './pages.ts'
import { ErrorState, Skeleton } from './parts/states.tsx'
import { Toaster } from './parts/toaster.tsx'
import { Opened, Shell } from './shell.tsx'
import { SignIn } from './sign-in.tsx'
import { StepUp } from './step-up.tsx'

const SIGN_IN = `${ROOT}/sign-in`
/** What follows `#` is the token, which no server gets to see in an address. */
const INVITE = `${ROOT}/invite`
const invite = { load: () => import('./pages/invite/page.tsx') }
const LAST_WORKSPACE = 'switchboard.workspace'

export const App = () => (
  <>
    <Screen />
    {isConfirming.value && me.value && !isSignedOut.value && <StepUp />}
    <Toaster />
  </>
)

function Screen() {
  const [error, setError] = useState<ApiError>()
  const { path } = place.value
  const isAtDoor = path === SIGN_IN
  useEffect(() => {
    loadMe().catch((failure: unknown) => setError(toApiError(failure)))
  }, [])
  useEffect(leadToTheDoor, [isSignedOut.value, path])
  useEffect(leadInside, [me.value, place.value, isSignedOut.value])
  if (path === INVITE)
    return (
      <main class="alone">
        <Opened key={location.hash} entry={invite} id={undefined} />
      </main>
    )
  if (isAtDoor && (isSignedOut.value || !me.value)) return <SignIn />
  if (!me.value) return error && error.status !== 401 ? <Failed error={error} /> : <Waiting />
  if (me.value.workspaces.length === 0) return <NoWorkspace />
  if (route.value.workspaceId !== undefined && workspace.value) return <Shell />
  return <NoWorkspace isUnknown={route.value.workspaceId !== undefined} />
}

/** The address that was asked for comes back after the sign-in. */
function leadToTheDoor(): void {
  if (!isSignedOut.value || [SIGN_IN, INVITE].includes(place.value.path)) return
  const wanted = withQuery(place.value.path, place.value.query)
  const query = new URLSearchParams(wanted === ROOT ? {} : { next: wanted })
  navigate(withQuery(SIGN_IN, query), { replace: true })
}

function leadInside(): void {
  const { path, query } = place.value
  if (!me.value || isSignedOut.value || path === INVITE) return
  const next = query.get('next')
  // Our own addresses alone: a link must not lead elsewhere through the sign-in.
  if (path === SIGN_IN && next?.startsWith(`${ROOT}/`)) return navigate(next, { replace: true })
  const { workspaceId, page } = route.value
  if (workspaceId !== undefined && path !== SIGN_IN) {
    remember(workspaceId)
    if (page === undefined) navigate(`${ROOT}/${workspaceId}/${pages[0]?.path}`, { replace: true })
    return
  }
  const home = me.value.workspaces.find(({ id }) => id === remembered()) ?? me.value.workspaces[0]
  if (home) navigate(`${ROOT}/${home.id}/${pages[0]?.path}`, { replace: true })
  else if (path === SIGN_IN) navigate(ROOT, { replace: true })
}

function remembered(): string | null {
  try {
    return localStorage.getItem(LAST_WORKSPACE)
  } catch {
    return null
  }
}

function remember(id: string): void {
  try {
    localStorage.setItem(LAST_WORKSPACE, id)
  } catch {
    // The first workspace will do.
  }
}

const Failed = ({ error }: { readonly error: ApiError }) => (
  <main class="alone">
    <ErrorState error={error} onRetry={() => location.reload()} />
  </main>
)

const Waiting = () => (
  <main class="alone">
    <Skeleton rows={3} />
  </main>
)
