// The root component: shows the sign-in, or the shell with the page that the address names.
import { useEffect, useState } from 'preact/hooks'
import { type ApiError, isSignedOut, lacksFactor, toApiError } from './core/api.ts'
import type { PageProps } from './core/page-props.ts'
import { navigate, place, ROOT, route, withQuery } from './core/router.ts'
import { loadMe, me, workspace } from './core/session.ts'
import { Overlays } from './overlays.tsx'
import { pages } from './pages.ts'
import { Alone } from './parts/console-bar.tsx'
import { ErrorState, Skeleton } from './parts/states.tsx'
import { Opened, Shell } from './shell.tsx'

const SIGN_IN = `${ROOT}/sign-in`
/** The token follows `#`, because browsers do not send that part of an address to servers. */
const INVITE = `${ROOT}/invite`
const noWorkspace = { load: () => import('./no-workspace.tsx') }
const signIn = { load: () => import('./sign-in.tsx') }
const invite = { load: () => import('./pages/invite/page.tsx') }
const secondFactor = { load: () => import('./pages/second-factor/page.tsx') }
const LAST_WORKSPACE = 'switchboard.workspace'

export const App = () => (
  <>
    <Screen />
    <Overlays />
  </>
)

function Screen() {
  const [error, setError] = useState<ApiError>()
  const { path } = place.value
  const isAtSignIn = path === SIGN_IN
  useEffect(() => {
    enter().catch((failure: unknown) => setError(toApiError(failure)))
  }, [])
  useEffect(learnOfRequirement, [lacksFactor.value])
  useEffect(leadToSignIn, [isSignedOut.value, path])
  useEffect(leadInside, [me.value, place.value, isSignedOut.value])
  if (path === INVITE)
    return (
      <Alone>
        <Opened key={location.hash} entry={invite} id={undefined} />
      </Alone>
    )
  if (isAtSignIn && (isSignedOut.value || !me.value))
    return (
      <Alone>
        <Opened entry={signIn} id={undefined} />
      </Alone>
    )
  if (!me.value) return error && error.status !== 401 ? <Failed error={error} /> : <Waiting />
  if (me.value.workspaces.length === 0) return <NoWorkspace id={undefined} />
  if (route.value.workspaceId !== undefined && workspace.value) return <Inside />
  return <NoWorkspace id={route.value.workspaceId} />
}

const NoWorkspace = ({ id }: PageProps) => (
  <Alone>
    <Opened entry={noWorkspace} id={id} />
  </Alone>
)

/** The server judges each request; this only shows what helps. */
const Inside = () =>
  workspace.value?.barrier === 'SECOND_FACTOR_REQUIRED' ? (
    <Alone>
      <Opened key={workspace.value.id} entry={secondFactor} id={undefined} />
    </Alone>
  ) : (
    <Shell />
  )

async function enter(): Promise<void> {
  await loadMe()
  // Nothing is lost yet, so the sign-in is the whole page.
  if (workspace.value?.barrier === 'SESSION_EXPIRED') isSignedOut.value = true
}

function learnOfRequirement(): void {
  if (lacksFactor.value > 0) loadMe().catch(() => undefined)
}

/** Keeps the requested address in the query, to open it after the sign-in. */
function leadToSignIn(): void {
  if (!isSignedOut.value || [SIGN_IN, INVITE].includes(place.value.path)) return
  const wanted = withQuery(place.value.path, place.value.query)
  const query = new URLSearchParams(wanted === ROOT ? {} : { next: wanted })
  navigate(withQuery(SIGN_IN, query), { replace: true })
}

function leadInside(): void {
  const { path, query } = place.value
  if (!me.value || isSignedOut.value || path === INVITE) return
  const next = query.get('next')
  // Only the console's own addresses: a link must not redirect elsewhere through the sign-in.
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
    // The browser may forbid storage. The first workspace opens then.
  }
}

const Failed = ({ error }: { readonly error: ApiError }) => (
  <Alone>
    <ErrorState error={error} onRetry={() => location.reload()} />
  </Alone>
)

const Waiting = () => (
  <Alone>
    <Skeleton rows={3} />
  </Alone>
)
