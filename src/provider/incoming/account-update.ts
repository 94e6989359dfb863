// Parses `account_update`: bans, restrictions, violations, and what connects or disconnects an account.

import * as v from 'valibot'
import type { AccountChange, AccountStop } from '../../contract/account-health.ts'
import { aWeekAfter, changeOf, type NewChange, textOf, wordOf } from './account-values.ts'
import { instant, list, optional, record } from './fields.ts'

type Read = (value: Readonly<Record<string, unknown>>, at: Date) => readonly NewChange[]

const calling: readonly AccountStop[] = ['PLACING_CALLS']

const restrictions: Readonly<
  Record<string, { readonly what: string; readonly stops?: readonly AccountStop[] }>
> = {
  RESTRICTED_BIZ_INITIATED_MESSAGING: { what: 'starting conversations', stops: ['CAMPAIGNS'] },
  RESTRICTED_CUSTOMER_INITIATED_MESSAGING: { what: 'answering customers' },
  RESTRICTED_ADD_PHONE_NUMBER_ACTION: { what: 'adding numbers' },
  RESTRICTED_BIZ_INITIATED_AND_USER_INITIATED_CALLING: { what: 'all calls', stops: calling },
  RESTRICTED_BUSINESS_INITIATED_CALLING: { what: 'placing calls', stops: calling },
  RESTRICTED_USER_INITIATED_CALLING: { what: 'calls of customers' },
  RESTRICTED_USER_INITIATED_CALLING_CALL_BUTTON_HIDDEN: { what: 'the call button in the chat' },
  RESTRICTED_UTILITY_TEMPLATES: { what: 'utility templates', stops: ['UTILITY_CAMPAIGNS'] },
  RESTRICTED_DIRECT_SEND_UTILITY_TEMPLATES: { what: 'direct sends of utility templates' },
}

const bans: Readonly<Record<string, Omit<NewChange, 'topic' | 'status'>>> = {
  DISABLE: {
    severity: 'CRITICAL',
    message: 'The provider has disabled the account.',
    advice: 'Ask for a review in the business manager of the provider.',
    stops: ['CAMPAIGNS', 'PLACING_CALLS'],
  },
  SCHEDULE_FOR_DISABLE: {
    severity: 'CRITICAL',
    message: 'The provider will disable the account soon.',
    advice: 'Ask for a review in the business manager of the provider.',
  },
  REINSTATE: { message: 'The provider has enabled the account again.' },
}

function restricted(given: unknown, at: Date): NewChange {
  const { restriction_type: type, expiration, remediation } = record(given)
  const status = wordOf(type)
  const { what, stops = [] } = restrictions[status] ?? { what: status }
  const told = v.parse(optional(instant), expiration)
  return {
    ...{ topic: 'RESTRICTION', key: status, status, severity: 'CRITICAL', stops },
    message: `The provider restricts ${what}.`,
    advice: textOf(remediation) || 'Look at the account quality in the business manager of the provider.',
    until: told ?? aWeekAfter(at),
  }
}

const disconnected =
  (message: string): Read =>
  () => [
    {
      ...{ topic: 'CONNECTION', status: 'DISCONNECTED', severity: 'CRITICAL', message },
      advice: 'Connect the account to the app again at the provider.',
      stops: ['CAMPAIGNS', 'PLACING_CALLS'],
    },
  ]

const connected: Read = () => [
  { topic: 'CONNECTION', status: 'CONNECTED', message: 'The account is connected.' },
]

const events: Readonly<Record<string, Read>> = {
  DISABLED_UPDATE(value) {
    const status = wordOf(record(value['ban_info'])['waba_ban_state'])
    const ban = bans[status] ?? {
      severity: 'WARNING',
      message: `The provider reports ${status} of the account.`,
    }
    return [{ topic: 'BAN', status, ...ban }]
  },
  ACCOUNT_RESTRICTION: (value, at) => list(value['restriction_info']).map((one) => restricted(one, at)),
  ACCOUNT_VIOLATION(value, at) {
    const { violation_type: type, remediation } = record(value['violation_info'])
    const status = wordOf(type)
    return [
      {
        ...{ topic: 'VIOLATION', key: status, status, severity: 'WARNING', until: aWeekAfter(at) },
        message: `The provider reports a violation of its policy: ${status}.`,
        advice: textOf(remediation) || 'Look at the account quality in the business manager of the provider.',
      },
    ]
  },
  ACCOUNT_DELETED: disconnected('The account was deleted at the provider.'),
  ACCOUNT_OFFBOARDED: disconnected('The account was disconnected at the provider.'),
  PARTNER_REMOVED: disconnected('The account does not share its data with the app any more.'),
  PARTNER_APP_UNINSTALLED: disconnected('The app was removed from the account.'),
  DISCONNECTED: disconnected('The account was disconnected at the provider.'),
  SUSPENDED: disconnected('The account is suspended at the provider.'),
  ACCOUNT_RECONNECTED: connected,
  PARTNER_ADDED: connected,
  PARTNER_APP_INSTALLED: connected,
  REINSTATED: connected,
}

/** An event that is not known is told by its name. */
export function readAccountUpdate(given: unknown, at: Date): AccountChange[] {
  const value = record(given)
  const event = wordOf(value['event'])
  const read = events[event]
  const changes = read
    ? read(value, at)
    : [{ topic: 'OTHER', key: event, status: event, message: `The provider reports ${event}.` } as const]
  return changes.map((change) => changeOf(value, change))
}
