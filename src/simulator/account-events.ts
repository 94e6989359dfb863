// What the provider reports about the account, its numbers and its templates. Each event comes with the fields
// that the provider sends; a caller changes those that it cares about.
import { ControlError } from './control-error.ts'
import { unixSeconds } from './ids.ts'
import { webhookError } from './provider-error.ts'
import type { TemplateRecord } from './template-record.ts'
import { accountUpdate, metadata } from './webhook-payloads.ts'
import { findNumber, timeOf, type World } from './world.ts'

type Value = Readonly<Record<string, unknown>>

const REMEDIATION = 'Read the policy and ask for a review.'
const DAY_SECONDS = 86_400

const restriction = (nowSeconds: number) => ({
  restriction_info: [
    {
      restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING',
      expiration: nowSeconds + 7 * DAY_SECONDS,
      remediation: REMEDIATION,
    },
  ],
})

/** The fields of each kind of `account_update` beside `event`. */
const ACCOUNT_UPDATES: Readonly<Record<string, (world: World, nowSeconds: number) => Value>> = {
  DISABLED_UPDATE: () => ({ ban_info: { waba_ban_state: 'DISABLE', waba_ban_date: 'November 22, 2026' } }),
  ACCOUNT_RESTRICTION: (_, now) => restriction(now),
  ACCOUNT_VIOLATION: () => ({ violation_info: { violation_type: 'SPAM', remediation: REMEDIATION } }),
  ACCOUNT_DELETED: (world) => ownerOf(world),
  ACCOUNT_OFFBOARDED: (world) => ({
    ...ownerOf(world),
    disconnection_info: { reason: 'ACCOUNT_DISCONNECTED', initiated_by: 'BUSINESS' },
  }),
  ACCOUNT_RECONNECTED: (world) => ownerOf(world),
  PARTNER_ADDED: (world) => ownerOf(world),
  PARTNER_REMOVED: (world) => ownerOf(world),
  PARTNER_APP_INSTALLED: (world) => ownerOf(world),
  PARTNER_APP_UNINSTALLED: (world) => ownerOf(world),
  VOLUME_BASED_PRICING_TIER_UPDATE: () => ({
    volume_tier_info: { tier: '25000:50000', pricing_category: 'UTILITY', region: 'Portugal' },
  }),
  AUTH_INTL_PRICE_ELIGIBILITY_UPDATE: () => ({
    auth_international_rate_eligibility: { exception_countries: [] },
  }),
  BUSINESS_PRIMARY_LOCATION_COUNTRY_UPDATE: () => ({ country: 'PT' }),
  AD_ACCOUNT_LINKED: () => ({ ad_account_info: { ad_account_id: '4410092' } }),
  MM_LITE_TERMS_SIGNED: (world) => ownerOf(world),
  PHONE_NUMBER_REMOVED: (world) => ({ phone_number: firstNumber(world) }),
}

const ownerOf = (world: World): Value => ({
  waba_info: { waba_id: world.settings.wabaId, owner_business_id: '8800110022' },
})

const firstNumber = (world: World): string => [...world.numbers.values()][0]?.digits ?? ''

type Field = (world: World, given: Value, nowSeconds: number) => Value

const templateFields = (template: TemplateRecord): Value => ({
  message_template_id: Number(template.id),
  message_template_name: template.name,
  message_template_language: template.language,
})

const FIELDS: Readonly<Record<string, Field>> = {
  account_update: (world, given, now) => {
    const event = String(given['event'] ?? 'ACCOUNT_RESTRICTION')
    return { event, ...ACCOUNT_UPDATES[event]?.(world, now) }
  },
  account_alerts: (world) => ({
    entity_type: 'BUSINESS',
    entity_id: world.settings.wabaId,
    alert_info: {
      alert_severity: 'WARNING',
      alert_status: 'ACTIVE',
      alert_type: 'INCREASED_CAPABILITIES_ELIGIBILITY_NEED_MORE_INFO',
      alert_description: 'More information is needed.',
    },
  }),
  account_review_update: () => ({ decision: 'APPROVED' }),
  business_capability_update: (world, given) => {
    const limit = given['max_daily_conversations_per_business'] ?? 'TIER_10K'
    if (typeof limit === 'string') world.account.messagingLimit = limit
    return {
      max_daily_conversations_per_business: limit,
      max_phone_numbers_per_business: 25,
      max_phone_numbers_per_waba: 25,
    }
  },
  phone_number_quality_update: (world, given) => {
    const address = String(given['display_phone_number'] ?? firstNumber(world))
    const number = findNumber(world, address)
    if (number === undefined) throw new ControlError(404, `there is no business number ${address}`)
    const event = String(given['event'] ?? 'THROUGHPUT_UPGRADE')
    if (event === 'THROUGHPUT_UPGRADE') number.throughput = 'HIGH'
    return {
      display_phone_number: number.digits,
      event,
      max_daily_conversations_per_business: world.account.messagingLimit,
    }
  },
  phone_number_name_update: (world) => ({
    display_phone_number: firstNumber(world),
    decision: 'APPROVED',
    requested_verified_name: 'North Dock',
    rejection_reason: null,
  }),
  security: (world) => ({
    display_phone_number: firstNumber(world),
    event: 'PIN_CHANGED',
    requester: '8800110022',
  }),
  message_template_quality_update: (world, given) => {
    const template = templateAt(world, given)
    const score = String(given['new_quality_score'] ?? 'RED')
    const previous = template.quality_score.score
    template.quality_score = { score, date: Math.floor(timeOf(world) / 1000) }
    return { previous_quality_score: previous, new_quality_score: score, ...templateFields(template) }
  },
  message_template_components_update: (world, given) => {
    const template = templateAt(world, given)
    const { message_template_element: text } = given
    if (typeof text === 'string')
      template.components = template.components.map((one) => (one.type === 'BODY' ? { ...one, text } : one))
    return { ...templateFields(template), message_template_element: 'Text.' }
  },
  template_category_update: (world, given, now) => {
    const template = templateAt(world, given)
    // An impending change names the present category as the new one; a change that is done has the previous one.
    if (given['correct_category'] !== undefined) {
      const at = now + DAY_SECONDS
      return { ...templateFields(template), new_category: template.category, category_update_timestamp: at }
    }
    const previous = template.category
    template.category = given['new_category'] === 'UTILITY' ? 'UTILITY' : 'MARKETING'
    return { ...templateFields(template), previous_category: previous, new_category: template.category }
  },
  template_correct_category_detection: (world, given) => {
    const template = templateAt(world, given)
    return { ...templateFields(template), category: template.category, correct_category: 'MARKETING' }
  },
  payment_configuration_update: () => ({
    configuration_name: 'main',
    provider_name: 'razorpay',
    provider_mid: 'mid_1',
    status: 'Needs Testing',
  }),
  partner_solutions: () => ({ event: 'SOLUTION_CREATED', solution_id: '77', solution_status: 'INITIATED' }),
  flows: (_, given) => ({
    event: String(given['event'] ?? 'FLOW_STATUS_CHANGE'),
    message: 'The flow was blocked.',
    flow_id: '6627390910605886',
    old_status: 'PUBLISHED',
    new_status: 'BLOCKED',
  }),
  business_username_updates: (world) => ({
    display_phone_number: firstNumber(world),
    username: 'northdock',
    status: 'approved',
  }),
}

export const ACCOUNT_FIELDS: readonly string[] = [...Object.keys(FIELDS), 'errors']

function templateAt(world: World, given: Value): TemplateRecord {
  const id = String(given['message_template_id'] ?? [...world.templates.keys()][0] ?? '')
  const template = world.templates.get(id)
  if (template === undefined) throw new ControlError(404, `there is no template ${id}`)
  return template
}

/** Reports one event. `given` replaces the provider's usual fields and adds others. Returns what was reported. */
export function reportAccount(world: World, field: string, given: Value): unknown {
  if (field === 'errors') return reportError(world, given)
  const complete = FIELDS[field]
  if (complete === undefined) {
    throw new ControlError(404, `there is no account event ${field}; there are ${ACCOUNT_FIELDS.join(', ')}`)
  }
  const nowSeconds = Number(unixSeconds(timeOf(world)))
  const value = { ...complete(world, given, nowSeconds), ...given }
  void world.webhooks.send({ ...accountUpdate(field, world.settings.wabaId, value), time: nowSeconds })
  return { field, value }
}

/** An error of the account, such as 131042: no payment method. It names a number and nobody else. */
function reportError(world: World, { code = 131042, to }: Value): unknown {
  const address = String(to ?? firstNumber(world))
  const number = findNumber(world, address)
  if (number === undefined) throw new ControlError(404, `there is no business number ${address}`)
  const value = { ...metadata(number), errors: [webhookError(Number(code), 'message')] }
  void world.webhooks.send({ kind: 'error', ref: number.id, field: 'messages', value })
  return { field: 'messages', value }
}
