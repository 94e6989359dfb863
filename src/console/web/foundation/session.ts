// Who is signed in, and the workspace that the address names.
import { computed, signal } from '@preact/signals'
import { api, isSignedOut } from './api.ts'
import { route } from './router.ts'

export type Role = 'VIEWER' | 'AGENT' | 'ADMIN' | 'OWNER'

export interface Workspace {
  readonly id: string
  readonly name: string
  readonly status: 'ACTIVE' | 'SUSPENDED'
  readonly role: Role
}

export interface Me {
  readonly operator: {
    readonly id: string
    readonly email: string
    readonly name: string
    readonly platformOwner: boolean
    readonly totp: boolean
  }
  readonly workspaces: readonly Workspace[]
}

export const me = signal<Me | undefined>(undefined)

export const workspace = computed(() => me.value?.workspaces.find(({ id }) => id === route.value.workspaceId))

const order: readonly Role[] = ['VIEWER', 'AGENT', 'ADMIN', 'OWNER']

/** Whether the operator's role in this workspace includes another. The server judges it anyway. */
export const can = (role: Role): boolean =>
  order.indexOf(workspace.value?.role ?? 'VIEWER') >= order.indexOf(role)

export async function loadMe(): Promise<void> {
  me.value = await api.get<Me>('/me')
  isSignedOut.value = false
}

export async function signIn(credentials: {
  readonly email: string
  readonly password: string
  readonly totp?: string
}): Promise<void> {
  await api.post('/session', credentials)
  await loadMe()
}

export async function signOut(): Promise<void> {
  await api.delete('/session')
  me.value = undefined
  isSignedOut.value = true
}
