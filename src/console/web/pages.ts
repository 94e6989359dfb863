// The list of pages: it defines the navigation, the addresses and the loading. A page is a module that
// exports `Page`; it is loaded when somebody opens it.
import type { ComponentType } from 'preact'
import type { PageProps } from './core/page-props.ts'
import type { IconName } from './parts/icon.tsx'

export interface PageEntry {
  /** The part of the address after the workspace. */
  readonly path: string
  readonly title: string
  readonly group: 'Activity' | 'Sending' | 'Developers' | 'Workspace'
  readonly icon: IconName
  load(): Promise<{ readonly Page: ComponentType<PageProps> }>
}

export const pages: readonly PageEntry[] = [
  {
    path: 'overview',
    title: 'Overview',
    group: 'Activity',
    icon: 'overview',
    load: () => import('./pages/overview/page.tsx'),
  },
  {
    path: 'conversations',
    title: 'Conversations',
    group: 'Activity',
    icon: 'conversations',
    load: () => import('./pages/conversations/page.tsx'),
  },
  {
    path: 'messages',
    title: 'Messages',
    group: 'Activity',
    icon: 'send',
    load: () => import('./pages/messages/page.tsx'),
  },
  {
    path: 'calls',
    title: 'Calls',
    group: 'Activity',
    icon: 'calls',
    load: () => import('./pages/calls/page.tsx'),
  },
  {
    path: 'campaigns',
    title: 'Campaigns',
    group: 'Sending',
    icon: 'campaigns',
    load: () => import('./pages/campaigns/page.tsx'),
  },
  {
    path: 'templates',
    title: 'Templates',
    group: 'Sending',
    icon: 'templates',
    load: () => import('./pages/templates/page.tsx'),
  },
  {
    path: 'numbers',
    title: 'Numbers',
    group: 'Sending',
    icon: 'numbers',
    load: () => import('./pages/numbers/page.tsx'),
  },
  {
    path: 'keys',
    title: 'API keys',
    group: 'Developers',
    icon: 'keys',
    load: () => import('./pages/keys/page.tsx'),
  },
  {
    path: 'endpoints',
    title: 'Webhook endpoints',
    group: 'Developers',
    icon: 'endpoints',
    load: () => import('./pages/endpoints/page.tsx'),
  },
  {
    path: 'deliveries',
    title: 'Delivery log',
    group: 'Developers',
    icon: 'deliveries',
    load: () => import('./pages/deliveries/page.tsx'),
  },
  {
    path: 'inbound',
    title: 'Not understood',
    group: 'Developers',
    icon: 'warning',
    load: () => import('./pages/inbound/page.tsx'),
  },
  {
    path: 'members',
    title: 'Members',
    group: 'Workspace',
    icon: 'members',
    load: () => import('./pages/members/page.tsx'),
  },
  {
    path: 'audit',
    title: 'Audit log',
    group: 'Workspace',
    icon: 'audit',
    load: () => import('./pages/audit/page.tsx'),
  },
  {
    path: 'settings',
    title: 'Settings',
    group: 'Workspace',
    icon: 'settings',
    load: () => import('./pages/settings/page.tsx'),
  },
  {
    path: 'account',
    title: 'My account',
    group: 'Workspace',
    icon: 'account',
    load: () => import('./pages/account/page.tsx'),
  },
]
