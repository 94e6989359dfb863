// The signed-in operator, and the workspace that the address names.
import { computed, signal } from '@preact/signals'
import { api, isSignedOut } from '../core/api.ts'
import { plural } from '../core/format.ts'
import { route } from '../core/router.ts'
import { hasWorker } from './ended-session.ts'
import { say } from './toasts.ts'

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

export const workspace = computed(() => me.value?.workspaces.find(({ id }) => id === route.value.workspaceId))

const order: readonly Role[] = ['VIEWER', 'AGENT', 'ADMIN', 'OWNER']

/** Whether the operator's role in this workspace includes `role`. The server checks it as well. */
export const can = (role: Role): boolean =>
  order.indexOf(workspace.value?.role ?? 'VIEWER') >= order.indexOf(role)

export async function loadMe(): Promise<void> {
  me.value = await api.get<Me>('/me')
  isSignedOut.value = false
  hasWorker.value = true
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

/** Accepts an invitation, which also signs in. Resolves to the id of its workspace. */
export async function join(
  given: { readonly token: string; readonly password: string } & (
    | { readonly account: 'NEW'; readonly name: string }
    | ({ readonly account: 'EXISTING' } & Partial<Factor>)
  ),
): Promise<string> {
  const joined = await api.post<Proved & { readonly workspaceId: string }>('/invitation/accept', given)
  await loadMe()
  tellCodesLeft(joined)
  return joined.workspaceId
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
  hasWorker.value = false
  me.value = undefined
  isSignedOut.value = true
}
