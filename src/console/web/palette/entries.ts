// What the palette offers without asking the server: pages and actions, of which only those that the role may take.

import { pageKeys } from '../core/key-meanings.ts'
import { leaveAndSignOut, leaveForWorkspace } from '../core/leaving.ts'
import { workspaceHref } from '../core/router.ts'
import { can, me, type Role, workspace } from '../core/session.ts'
import { overlay } from '../core/shortcuts.ts'
import { chooseTheme } from '../core/theme.ts'
import { pages } from '../pages.ts'
import type { IconName } from '../parts/icon.tsx'

export interface Entry {
  /** Unique in the palette. */
  readonly id: string
  readonly group: string
  readonly title: string
  readonly icon: IconName
  readonly detail?: string | undefined
  readonly status?: string | undefined
  readonly at?: string | undefined
  readonly keys?: readonly string[] | undefined
  /** Other words by which it is found. */
  readonly words?: string
  /** Where it leads; without it, `run` does something. */
  readonly href?: string
  run?(): void
}

const PAGES = 'Pages'
const ACTIONS = 'Actions'

const pageWords: Readonly<Record<string, string>> = {
  overview: 'home dashboard charts',
  conversations: 'inbox chats threads replies',
  messages: 'message log sent failed',
  calls: 'voice phone live',
  campaigns: 'broadcasts bulk recipients',
  templates: 'message templates review',
  numbers: 'phone numbers senders routing',
  keys: 'api keys tokens secrets',
  endpoints: 'webhooks receivers urls',
  deliveries: 'webhook log attempts events replay',
  inbound: 'unknown ignored elements provider',
  members: 'team people roles invitations operators',
  audit: 'history changes log',
  settings: 'workspace name retention security',
  account: 'profile password sessions second factor',
}

export const pageEntries = (): readonly Entry[] =>
  pages.map(({ path, title, icon }) => ({
    id: `page-${path}`,
    group: PAGES,
    ...{ title, icon, href: workspaceHref(`/${path}`) },
    keys: pageKeys[path] === undefined ? undefined : ['g', pageKeys[path]],
    words: pageWords[path] ?? '',
  }))

interface Making {
  readonly title: string
  readonly path: string
  readonly role: Role
  readonly icon: IconName
  readonly words: string
}

const makings: readonly Making[] = [
  {
    title: 'Make an API key',
    path: '/keys?new',
    role: 'ADMIN',
    icon: 'keys',
    words: 'create new token secret',
  },
  {
    title: 'Add an endpoint',
    path: '/endpoints?new',
    role: 'ADMIN',
    icon: 'endpoints',
    words: 'create new webhook url',
  },
  {
    title: 'New campaign',
    path: '/campaigns/new',
    role: 'ADMIN',
    icon: 'campaigns',
    words: 'create broadcast send bulk',
  },
  {
    title: 'New template',
    path: '/templates/new',
    role: 'ADMIN',
    icon: 'templates',
    words: 'create submit message',
  },
  {
    title: 'Invite a member',
    path: '/members?new',
    role: 'OWNER',
    icon: 'members',
    words: 'add operator team person',
  },
]

const isDark = (): boolean =>
  getComputedStyle(document.documentElement).colorScheme === 'dark' ||
  (document.documentElement.dataset['theme'] === undefined &&
    matchMedia('(prefers-color-scheme: dark)').matches)

const action = (entry: Omit<Entry, 'group'>): Entry => ({ ...entry, group: ACTIONS })

const others = (): readonly Entry[] => {
  const dark = isDark()
  return [
    action({
      ...{
        id: 'theme',
        title: `Switch to the ${dark ? 'light' : 'dark'} theme`,
        icon: dark ? 'sun' : 'moon',
      },
      words: 'switch theme colours appearance mode',
      run: () => chooseTheme(dark ? 'light' : 'dark'),
    }),
    action({
      ...{ id: 'shortcuts', title: 'Keyboard shortcuts', icon: 'screen', keys: ['?'], words: 'help keys' },
      run: () => {
        overlay.value = 'shortcuts'
      },
    }),
    action({
      ...{
        id: 'docs',
        title: 'Open the documentation',
        icon: 'document',
        href: '/docs',
        words: 'help api guide',
      },
    }),
    action({
      ...{ id: 'sign-out', title: 'Sign out', icon: 'exit', words: 'log out leave' },
      run: () => void leaveAndSignOut(),
    }),
  ]
}

const workspaces = (): readonly Entry[] =>
  (me.value?.workspaces ?? [])
    .filter(({ id }) => id !== workspace.value?.id)
    .map(({ id, name }) =>
      action({
        ...{ id: `workspace-${id}`, title: `Go to ${name}`, icon: 'settings', words: 'switch workspace' },
        run: () => void leaveForWorkspace(id),
      }),
    )

export const actionEntries = (): readonly Entry[] => [
  ...makings
    .filter(({ role }) => can(role))
    .map(({ path, role: _, ...making }) =>
      action({ ...making, id: `make-${path}`, href: workspaceHref(path) }),
    ),
  ...workspaces(),
  ...others(),
]
