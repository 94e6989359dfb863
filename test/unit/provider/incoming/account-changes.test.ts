import assert from 'node:assert/strict'
import { messagingLimitOf } from '../../../../src/contract/account-health.ts'
import { parseWebhook } from '../../../../src/provider/incoming/parse.ts'
import { describe, test } from '../../../support/harness.ts'
import { RECEIVED, WABA } from './fixtures.ts'

const TIME = 1_790_000_000
const told = new Date(TIME * 1_000)
const week = new Date(told.getTime() + 7 * 86_400_000)

const parse = (field: string, value: unknown, time: unknown = TIME, id = WABA) =>
  parseWebhook(
    { object: 'whatsapp_business_account', entry: [{ id, time, changes: [{ field, value }] }] },
    RECEIVED,
  )

function updateOf(field: string, value: unknown, time?: unknown) {
  const [update] = parse(field, value, time).updates
  return update?.type === 'accountUpdate' ? update : assert.fail(JSON.stringify(update))
}

/** Of each change: topic, key, status, severity, stops and until. */
const read = (field: string, value: unknown) =>
  updateOf(field, value).changes.map(({ topic, key, status, severity, stops, until }) => [
    ...[topic, key, status, severity, stops.join(), until],
  ])

const display = { display_phone_number: '15550003333' }
const named = { message_template_name: 'pier_notice', message_template_language: 'pt_PT' }
const until = new Date(1_791_000_000_000)

const rows: readonly (readonly [string, unknown, readonly (readonly unknown[])[]])[] = [
  [
    'account_update',
    { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE', waba_ban_date: 'May 1, 2026' } },
    [['BAN', '', 'DISABLE', 'CRITICAL', 'CAMPAIGNS,PLACING_CALLS', null]],
  ],
  [
    'account_update',
    { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE' } },
    [['BAN', '', 'REINSTATE', 'INFO', '', null]],
  ],
  [
    'account_update',
    {
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: [
        { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: 1_791_000_000 },
        { restriction_type: 'RESTRICTED_BUSINESS_INITIATED_CALLING' },
        { restriction_type: 'RESTRICTED_UTILITY_TEMPLATES', expiration: '1791000000' },
        { restriction_type: 'RESTRICTED_SOMETHING_NEW', expiration: 1_791_000_000 },
      ],
    },
    [
      ...['BIZ_INITIATED_MESSAGING', 'BUSINESS_INITIATED_CALLING', 'UTILITY_TEMPLATES', 'SOMETHING_NEW'].map(
        (type, index) => [
          ...['RESTRICTION', `RESTRICTED_${type}`, `RESTRICTED_${type}`, 'CRITICAL'],
          ['CAMPAIGNS', 'PLACING_CALLS', 'UTILITY_CAMPAIGNS', ''][index],
          index === 1 ? week : until,
        ],
      ),
    ],
  ],
  [
    'account_update',
    { event: 'ACCOUNT_VIOLATION', violation_info: { violation_type: 'SPAM', remediation: 'Ask first.' } },
    [['VIOLATION', 'SPAM', 'SPAM', 'WARNING', '', week]],
  ],
  ...['ACCOUNT_DELETED', 'ACCOUNT_OFFBOARDED', 'PARTNER_REMOVED', 'PARTNER_APP_UNINSTALLED', 'SUSPENDED'].map(
    (event) =>
      [
        'account_update',
        { event },
        [['CONNECTION', '', 'DISCONNECTED', 'CRITICAL', 'CAMPAIGNS,PLACING_CALLS', null]],
      ] as const,
  ),
  ['account_update', { event: 'ACCOUNT_RECONNECTED' }, [['CONNECTION', '', 'CONNECTED', 'INFO', '', null]]],
  [
    'account_update',
    { event: 'MM_LITE_TERMS_SIGNED' },
    [['OTHER', 'MM_LITE_TERMS_SIGNED', 'MM_LITE_TERMS_SIGNED', 'INFO', '', null]],
  ],
  [
    'account_alerts',
    {
      entity_id: '7',
      alert_info: { alert_severity: 'CRITICAL', alert_type: 'OBA_REJECTED', alert_status: 'ACTIVE' },
    },
    [['ALERT', 'OBA_REJECTED 7', 'OBA_REJECTED', 'CRITICAL', '', week]],
  ],
  [
    'account_alerts',
    { entity_id: 7, alert_severity: 'WARNING', alert_type: 'PROFILE_PICTURE_LOST' },
    [['ALERT', 'PROFILE_PICTURE_LOST 7', 'PROFILE_PICTURE_LOST', 'WARNING', '', week]],
  ],
  [
    'account_review_update',
    { decision: 'REJECTED' },
    [['REVIEW', '', 'REJECTED', 'CRITICAL', 'CAMPAIGNS', null]],
  ],
  ['account_review_update', { decision: 'APPROVED' }, [['REVIEW', '', 'APPROVED', 'INFO', '', null]]],
  [
    'business_capability_update',
    { max_daily_conversations_per_business: 'TIER_2K', max_phone_numbers_per_waba: 25 },
    [['MESSAGING_LIMIT', '', 'TIER_2K', 'INFO', '', null]],
  ],
  [
    'phone_number_quality_update',
    { ...display, event: 'FLAGGED', current_limit: 'TIER_250', old_limit: 'TIER_1K' },
    [
      ['NUMBER_QUALITY', '+15550003333', 'FLAGGED', 'WARNING', '', null],
      ['MESSAGING_LIMIT', '', 'TIER_250', 'INFO', '', null],
    ],
  ],
  [
    'phone_number_quality_update',
    { ...display, event: 'ONBOARDING', max_daily_conversations_per_business: -1 },
    [
      ['NUMBER_QUALITY', '+15550003333', 'ONBOARDING', 'INFO', '', null],
      ['MESSAGING_LIMIT', '', '-1', 'INFO', '', null],
    ],
  ],
  [
    'phone_number_name_update',
    { ...display, decision: 'REJECTED', rejection_reason: 'NAME_EMPTY' },
    [['NUMBER_NAME', '+15550003333', 'REJECTED', 'WARNING', '', null]],
  ],
  [
    'security',
    { ...display, event: 'PIN_CHANGED', requester: '1' },
    [['SECURITY', 'PIN_CHANGED +15550003333', 'PIN_CHANGED', 'WARNING', '', week]],
  ],
  [
    'account_settings_update',
    {
      type: 'PHONE_NUMBER_SETTINGS',
      phone_number_settings: { phone_number_id: '88', calling: { status: 'DISABLED' } },
    },
    [['NUMBER_SETTINGS', '88', 'CALLING_DISABLED', 'CRITICAL', 'PLACING_CALLS', null]],
  ],
  [
    'message_template_quality_update',
    {
      ...{ ...named, message_template_language: 'pt-PT' },
      ...{ previous_quality_score: 'GREEN', new_quality_score: 'RED' },
    },
    [['TEMPLATE_QUALITY', 'pier_notice pt_PT', 'RED', 'WARNING', '', null]],
  ],
  [
    'template_correct_category_detection',
    { ...named, category: 'UTILITY', correct_category: 'MARKETING' },
    [['TEMPLATE_CATEGORY', 'pier_notice pt_PT', 'DETECTED', 'WARNING', '', week]],
  ],
]

describe('a webhook about the account', () => {
  for (const [field, value, expected] of rows)
    test(`${field} ${JSON.stringify(value).slice(0, 60)}`, () => {
      assert.deepEqual(read(field, value), expected)
    })

  test('has the time of the provider, not later than its arrival', () => {
    const value = { decision: 'APPROVED' }
    assert.deepEqual(updateOf('account_review_update', value).at, told)
    for (const time of [null, 'soon', RECEIVED.getTime() / 1_000 + 60])
      assert.deepEqual(updateOf('account_review_update', value, time).at, RECEIVED)
    const [status] = parse('message_template_status_update', { ...named, event: 'LOCKED' }).updates
    assert.deepEqual([status?.type, status?.at], ['templateStatus', told])
  })

  test('is known again by its account, field, time and content', () => {
    const digests = [
      updateOf('account_review_update', { decision: 'APPROVED' }),
      updateOf('account_review_update', { decision: 'APPROVED' }),
      updateOf('account_review_update', { decision: 'REJECTED' }),
      updateOf('account_review_update', { decision: 'APPROVED' }, TIME + 1),
    ].map(({ digest }) => digest)
    assert.equal(digests[0], digests[1])
    assert.equal(new Set(digests).size, 3)
  })

  test('names the account in its value where its entry names the portfolio', () => {
    const value = { event: 'PARTNER_ADDED', waba_info: { waba_id: '12345' } }
    assert.equal(updateOf('account_update', value).wabaId, '12345')
  })

  test('of the two shapes of a category update tells what comes and what is done', () => {
    const coming = {
      ...named,
      new_category: 'UTILITY',
      correct_category: 'MARKETING',
      category_update_timestamp: 1_791_000_000,
    }
    const [update] = parse('template_category_update', coming).updates
    assert.ok(update?.type === 'templateCategory')
    assert.deepEqual(
      [update.category, update.nextCategory, update.changesAt],
      ['UTILITY', 'MARKETING', until],
    )
    const [done] = parse('template_category_update', {
      ...named,
      new_category: 'MARKETING',
      previous_category: 'UTILITY',
    }).updates
    assert.ok(done?.type === 'templateCategory')
    assert.deepEqual(
      [done.category, done.nextCategory, done.previousCategory],
      ['MARKETING', null, 'UTILITY'],
    )
  })

  test('of edited components tells only the template: the list has all of them', () => {
    const { updates } = parse('message_template_components_update', {
      ...named,
      message_template_element: 'Text.',
    })
    assert.deepEqual(updates, [
      { type: 'templateContent', wabaId: WABA, name: 'pier_notice', language: 'pt_PT', at: told },
    ])
    assert.deepEqual(parse('message_template_components_update', {}).skipped, { malformed: 1 })
  })

  test('without what it is about is counted, and its content is bounded and can be stored', () => {
    for (const field of [
      'account_update',
      'security',
      'phone_number_quality_update',
      'account_settings_update',
    ])
      for (const value of [null, [], 'x', {}, { event: {} }])
        assert.deepEqual(parse(field, value).skipped, { malformed: 1 }, `${field} ${JSON.stringify(value)}`)
    const deep: Record<string, unknown> = { decision: 'APPROVED', text: 'a\0b\ud800'.padEnd(9_000, 'x') }
    for (let at = deep, depth = 0; depth < 100; depth += 1) at = at['more'] = {} as Record<string, unknown>
    const [change] = updateOf('account_review_update', deep).changes
    assert.ok(JSON.stringify(change?.details).length < 2_000)
    assert.doesNotMatch(JSON.stringify(change?.details), /u0000|ud800/)
  })
})

test('the words for the messaging limit', () => {
  for (const [word, customers] of [
    ...([
      ['TIER_50', 50],
      ['TIER_250', 250],
      ['TIER_1K', 1_000],
      ['TIER_2K', 2_000],
      ['TIER_100K', 100_000],
    ] as const),
    ...([
      ['250', 250],
      [2_000, 2_000],
      [-1, null],
      ['TIER_UNLIMITED', null],
      ['-1', null],
      [null, null],
    ] as const),
  ])
    assert.equal(messagingLimitOf(word), customers, String(word))
})
