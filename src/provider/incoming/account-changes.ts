// Parses the other webhooks about an account and its numbers, and what they report of templates beside their status.
import * as v from 'valibot'
import { type AccountChange, messagingLimitOf } from '../../contract/account-health.ts'
import type { AccountSeverity } from '../../contract/records/account.ts'
import { toE164 } from '../../shared/phone.ts'
import { readAccountUpdate } from './account-update.ts'
import {
  accountField,
  aWeekAfter,
  changeOf,
  languageOf,
  type ReadChanges,
  textOf,
  wordOf,
} from './account-values.ts'
import { optional, record, shownNumber } from './fields.ts'

const numberIn = (value: Readonly<Record<string, unknown>>): string | null => {
  const digits = v.parse(optional(shownNumber), value['display_phone_number'])
  return digits === null ? null : toE164(digits)
}

const alertSeverities: Readonly<Record<string, AccountSeverity>> = {
  CRITICAL: 'CRITICAL',
  WARNING: 'WARNING',
}

const readAlert: ReadChanges = (given, at) => {
  const value = record(given)
  // Older webhooks have the fields of the alert beside the entity.
  const alert = { ...value, ...record(value['alert_info']) }
  const status = wordOf(alert['alert_type'])
  const isOver = ['RESOLVED', 'DISMISSED'].includes(wordOf(alert['alert_status']))
  return [
    changeOf(value, {
      ...{ topic: 'ALERT', key: `${status} ${wordOf(value['entity_id'])}`, status },
      severity: isOver ? 'INFO' : (alertSeverities[wordOf(alert['alert_severity'])] ?? 'INFO'),
      message: textOf(alert['alert_description']) || `The provider reports ${status}.`,
      until: aWeekAfter(at),
    }),
  ]
}

const readReview: ReadChanges = (given) => {
  const status = wordOf(record(given)['decision'])
  const isRejected = status === 'REJECTED'
  return [
    changeOf(given, {
      ...{ topic: 'REVIEW', status, severity: isRejected ? 'CRITICAL' : 'INFO' },
      message: `The review of the account is ${status} at the provider.`,
      advice: isRejected ? 'Ask for another review in the business manager of the provider.' : null,
      stops: isRejected ? ['CAMPAIGNS'] : [],
    }),
  ]
}

/** The newest field first: the provider has renamed it. */
const limitFields = [
  'max_daily_conversations_per_business',
  'max_daily_conversation_per_business',
  'max_daily_conversation_per_phone',
  'current_limit',
]

function limitIn(given: unknown): AccountChange[] {
  const value = record(given)
  const field = limitFields.find((name) => ['string', 'number'].includes(typeof value[name]))
  if (field === undefined) return []
  const status = wordOf(value[field])
  const customers = messagingLimitOf(value[field])
  const shown = customers ?? (status === '-1' ? 'unlimited' : status.toLowerCase())
  return [
    changeOf(
      { ...value, customers },
      { topic: 'MESSAGING_LIMIT', status, message: `New customers in 24 hours: ${shown}.` },
    ),
  ]
}

const worse = ['FLAGGED', 'DOWNGRADE', 'RED', 'DECLINED', 'REJECTED']

const readNumberQuality: ReadChanges = (given) => {
  const value = record(given)
  const [number, status] = [numberIn(value), wordOf(value['event'])]
  if (number === null) return []
  const severity = worse.includes(status) ? 'WARNING' : 'INFO'
  const message = `The provider reports ${status} of ${number}.`
  const advice = severity === 'WARNING' ? 'Send less, and only to customers who expect it.' : null
  return [
    changeOf(value, { topic: 'NUMBER_QUALITY', key: number, number, status, severity, message, advice }),
    ...limitIn(value),
  ]
}

const readNumberName: ReadChanges = (given) => {
  const value = record(given)
  const [number, status] = [numberIn(value), wordOf(value['decision'])]
  if (number === null) return []
  const isWorse = worse.includes(status)
  const reason = textOf(value['rejection_reason'])
  return [
    changeOf(value, {
      ...{ topic: 'NUMBER_NAME', key: number, number, status, severity: isWorse ? 'WARNING' : 'INFO' },
      message: `The name of ${number} is ${status} at the provider${isWorse && reason ? `: ${reason}` : ''}.`,
      advice: isWorse ? 'Ask for another name at the provider.' : null,
    }),
  ]
}

const readSecurity: ReadChanges = (given, at) => {
  const value = record(given)
  const [number, status] = [numberIn(value), wordOf(value['event'])]
  return [
    changeOf(value, {
      ...{ topic: 'SECURITY', key: `${status} ${number}`, number, status, severity: 'WARNING' },
      message: `${status} of ${number ?? 'the account'} at the provider.`,
      advice: 'If nobody of you did this, change the PIN and look at who has access to the account.',
      until: aWeekAfter(at),
    }),
  ]
}

const readSettings: ReadChanges = (given) => {
  const settings = record(record(given)['phone_number_settings'])
  const number = wordOf(settings['phone_number_id'])
  const status = wordOf(record(settings['calling'])['status'])
  const isOff = status === 'DISABLED'
  if (number === '') return []
  return [
    changeOf(given, {
      ...{ topic: 'NUMBER_SETTINGS', key: number, number },
      status: status === '' ? 'CHANGED' : `CALLING_${status}`,
      severity: isOff ? 'CRITICAL' : 'INFO',
      message: isOff
        ? `Calling is switched off for the number with the id ${number}.`
        : `The settings of the number with the id ${number} were changed.`,
      advice: isOff
        ? 'Switch it on in the settings of the number at the provider, if you place calls.'
        : null,
      stops: isOff ? ['PLACING_CALLS'] : [],
    }),
  ]
}

function templateIn(given: unknown) {
  const value = record(given)
  const name = textOf(value['message_template_name'])
  const template = { name, language: languageOf(textOf(value['message_template_language'])) }
  return name === '' ? null : { template, key: `${name} ${template.language}`, value }
}

const readTemplateQuality: ReadChanges = (given) => {
  const found = templateIn(given)
  if (!found) return []
  const { value, template, key } = found
  const status = wordOf(value['new_quality_score'])
  const isLow = status === 'RED'
  return [
    changeOf(value, {
      ...{ topic: 'TEMPLATE_QUALITY', key, template, status, severity: isLow ? 'WARNING' : 'INFO' },
      message: `The quality of template ${template.name} (${template.language}) is ${status}.`,
      advice: isLow
        ? 'Change its text or whom it goes to: the provider pauses templates of low quality.'
        : null,
    }),
  ]
}

const readDetectedCategory: ReadChanges = (given, at) => {
  const found = templateIn(given)
  if (!found) return []
  const { value, template, key } = found
  const correct = wordOf(value['correct_category'])
  return [
    changeOf(value, {
      ...{ topic: 'TEMPLATE_CATEGORY', key, template, severity: 'WARNING', until: aWeekAfter(at) },
      status: correct === '' ? '' : 'DETECTED',
      message: `The provider takes template ${template.name} (${template.language}) for ${correct}.`,
      advice: 'Its category may be changed, and with it its price.',
    }),
  ]
}

export const accountReaders = (
  [
    ['account_update', readAccountUpdate],
    ['account_alerts', readAlert],
    ['account_review_update', readReview],
    ['business_capability_update', limitIn],
    ['phone_number_quality_update', readNumberQuality],
    ['phone_number_name_update', readNumberName],
    ['security', readSecurity],
    ['account_settings_update', readSettings],
    ['message_template_quality_update', readTemplateQuality],
    ['template_correct_category_detection', readDetectedCategory],
  ] as const
).map(([field, read]) => [field, accountField(field, read)] as const)
