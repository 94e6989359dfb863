// The signed-in operator, and the workspace that the address names.
import { computed, signal } from '@preact/signals'
import { api, isSignedOut } from '../core/api.ts'
import { plural } from '../core/format.ts'
import { ROOT, route } from '../core/router.ts'
import { worker } from './ended-session.ts'
import { say } from './toasts.ts'
import { forgetUnsaved } from './unsaved.ts'

export type Role = 'VIEWER' | 'AGENT' | 'ADMIN' | 'OWNER'

export interface Workspace {
  readonly id: string
  readonly name: string
  readonly status: 'ACTIVE' | 'SUSPENDED'
  readonly role: Role
  /** From this time on it requires a second factor. */
  readonly secondFactorFrom: string | null
  /** What keeps this session out of it. */
  readonly barrier: 'SECOND_FACTOR_REQUIRED' | 'SESSION_EXPIRED' | null
}

export interface Me {
  readonly operator: {
    readonly id: string
    readonly email: string
    readonly name: string
    readonly platformOwner: boolean
    readonly verified: boolean
    readonly totp: boolean
    readonly recoveryCodesLeft: number
  }
  readonly workspaces: readonly Workspace[]
  /** The page of the simulator's handsets, in development. */
  readonly handsetsUrl: string | null
}

export const me = signal<Me | undefined>(undefined)

export const operatorId = computed(() => me.value?.operator.id)

export const workspace = computed(() => me.value?.workspaces.find(({ id }) => id === route.value.workspaceId))

const order: readonly Role[] = ['VIEWER', 'AGENT', 'ADMIN', 'OWNER']

/** Whether the operator's role in this workspace includes `role`. The server checks it as well. */
export const can = (role: Role): boolean =>
  order.indexOf(workspace.value?.role ?? 'VIEWER') >= order.indexOf(role)

/** If that is somebody else than before, the page starts anew, at `address`. */
export async function loadMe(address?: string): Promise<void> {
  const now = await api.get<Me>('/me')
  if (isSomebodyElse(now)) return startAnew(address)
  me.value = now
  isSignedOut.value = false
  worker.value = now.operator.id
}

/** Looks whether somebody else has signed in in another tab. */
export async function assureSame(): Promise<void> {
  if (me.peek() && isSomebodyElse(await api.get<Me>('/me'))) return startAnew()
}

/** Than the one whose page this is, also while it is about to start anew. */
const isSomebodyElse = ({ operator }: Me): boolean =>
  worker.peek() !== undefined && worker.peek() !== operator.id

/** What was read and written here is one operator's. Never resolves: nothing goes on in the name of another. */
export function startAnew(address?: string): Promise<never> {
  forgetUnsaved()
  me.value = undefined
  if (address === undefined) location.reload()
  else location.replace(address)
  return new Promise(() => undefined)
}

/** A code from the authenticator app, or a recovery code instead. */
export type Factor = { readonly totp: string } | { readonly recoveryCode: string }

interface Proved {
  /** Set only if a recovery code was used. */
  readonly recoveryCodesLeft?: number
}

export async function signIn(
  credentials: { readonly email: string; readonly password: string } & Partial<Factor>,
): Promise<void> {
  const proved = await api.post<Proved>('/session', credentials)
  await loadMe()
  tellCodesLeft(proved)
}

/** Accepts an invitation, which also signs in. Resolves to the address of its workspace. */
export async function join(
  given: { readonly token: string; readonly password: string } & (
    | { readonly account: 'NEW'; readonly name: string }
    | ({ readonly account: 'EXISTING' } & Partial<Factor>)
  ),
): Promise<string> {
  const joined = await api.post<Proved & { readonly workspaceId: string }>('/invitation/accept', given)
  const address = `${ROOT}/${joined.workspaceId}`
  await loadMe(address)
  tellCodesLeft(joined)
  return address
}

/** Confirms the password again, for requests that show or change secrets. */
export async function confirm(given: { readonly password: string } & Partial<Factor>): Promise<void> {
  const proved = await api.post<Proved>('/me/confirm', given)
  tellCodesLeft(proved)
  if (proved.recoveryCodesLeft !== undefined) await loadMe()
}

function tellCodesLeft({ recoveryCodesLeft: left }: Proved): void {
  if (left === undefined) return
  say(
    left === 0
      ? 'That was your last recovery code. Make new ones under My account.'
      : `That recovery code is used up. ${plural(left, 'is', 'are')} left.`,
  )
}

export async function signOut(): Promise<void> {
  await api.delete('/session')
  return startAnew()
}
