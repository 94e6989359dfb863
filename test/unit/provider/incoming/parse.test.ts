import assert from 'node:assert/strict'
import fc from 'fast-check'
import { parseWebhook } from '../../../../src/provider/incoming/parse.ts'
import { describe, test } from '../../../support/harness.ts'
import {
  account,
  calls,
  change,
  envelope,
  messages,
  only,
  parse,
  RECEIVED,
  statuses,
  USER,
  WABA,
} from './fixtures.ts'

describe('an update of the account', () => {
  const template = {
    wabaId: WABA,
    name: 'pier_notice',
    language: 'pt_PT',
    at: RECEIVED,
  }

  test('tells the state of a template and the reason', () => {
    const rejected = only('templateStatus', account['templateRejected'])
    assert.deepEqual(rejected, {
      type: 'templateStatus',
      ...template,
      status: 'REJECTED',
      reason: 'INVALID_FORMAT',
    })
    assert.equal(only('templateStatus', account['templateApproved']).reason, null)
  })

  test('puts a state that we do not have into one that is not sent either', () => {
    assert.equal(only('templateStatus', account['templateFlagged']).status, 'PAUSED')
    const odd = {
      field: 'message_template_status_update',
      value: { ...(account['templateApproved']?.['value'] as object), event: 'SHELVED' },
    }
    assert.equal(only('templateStatus', odd).status, 'DISABLED')
  })

  test('names the language of a template as the list of templates does', () => {
    assert.equal(only('templateStatus', account['templateInDashes']).language, 'pt_PT')
  })

  test('tells the new category of a template', () => {
    assert.deepEqual(only('templateCategory', account['templateCategory']), {
      type: 'templateCategory',
      ...template,
      category: 'MARKETING',
      ...{ previousCategory: 'UTILITY', nextCategory: null, changesAt: null },
    })
  })

  test('tells what became of a number', () => {
    const { changes } = only('accountUpdate', account['numberUpgrade'])
    assert.deepEqual(
      changes.map(({ topic, number, status }) => [topic, number, status]),
      [
        ['NUMBER_QUALITY', '+15550003333', 'THROUGHPUT_UPGRADE'],
        ['MESSAGING_LIMIT', null, 'TIER_10K'],
      ],
    )
  })

  test('tells that a user stopped marketing', () => {
    const update = only('userPreference', account['preferenceStop'])
    assert.deepEqual(
      [update.person.phone, update.value, update.category],
      [USER, 'stop', 'marketing_messages'],
    )
    assert.deepEqual(update.at, new Date(1_790_000_301_000))
  })

  test('of a field that is of no use to us is counted', () => {
    const odd = { field: 'consumer_profile', value: {} }
    assert.deepEqual(parse(odd, odd).skipped, { unknown: 2 })
    assert.deepEqual(parse(account['accountError']).skipped, { accountError: 1 })
  })
})

describe('a batch', () => {
  test('is read through every entry, change and element, in its order', () => {
    const first = envelope(
      change('messages', { messages: [messages['text'], messages['image']] }),
      change('messages', { statuses: [statuses['sent'], statuses['read']] }),
    )
    const second = envelope(
      change('calls', { calls: [calls['inboundConnect']] }),
      account['templateApproved'],
    )
    const both = { ...first, entry: [...(first['entry'] as []), ...(second['entry'] as [])] }
    assert.deepEqual(
      parseWebhook(both, RECEIVED).updates.map(({ type }) => type),
      ['inboundMessage', 'inboundMessage', 'messageStatus', 'messageStatus', 'callConnect', 'templateStatus'],
    )
  })

  test('loses only the elements that are broken', () => {
    const broken: unknown[] = [
      null,
      7,
      'text',
      [],
      {},
      { id: {} },
      { toString: 1, valueOf: 1, id: 'wamid.X' },
    ]
    const { updates, skipped } = parse(
      change('messages', {
        messages: [...broken, messages['text']],
        statuses: [...broken, statuses['sent']],
      }),
      change('calls', {
        calls: [...broken, { ...calls['completed'], status: { toString: 1 } }],
        statuses: 'none',
      }),
      null,
      { field: 'constructor', value: {} },
      change('messages', { metadata: null, messages: [messages['text']] }),
    )
    assert.deepEqual(
      updates.map(({ type }) => type),
      ['inboundMessage', 'messageStatus', 'callTerminate'],
    )
    assert.equal(skipped.unknown, 2)
  })

  test('loses only the change that is nested so deep that no reader follows', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    const value = `{"event":"ACCOUNT_DELETED","more":${deep}}`
    const text = JSON.stringify(change('messages', { messages: [messages['text']] }))
    const body = `{"object":"whatsapp_business_account","entry":[{"id":"1","changes":[{"field":"account_update","value":${value}},${text}]}]}`
    const { updates, skipped } = parseWebhook(JSON.parse(body), RECEIVED)
    assert.deepEqual([updates.map(({ type }) => type), skipped], [['inboundMessage'], { malformed: 1 }])
  })

  test('of another kind of account is counted as unknown', () => {
    assert.deepEqual(parseWebhook({ object: 'page', entry: [] }, RECEIVED).skipped, { unknown: 1 })
  })

  test('that is any JSON at all is read without an exception', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        parseWebhook(value, RECEIVED)
      }),
    )
  })

  test('with any JSON in any place is read without an exception, and never loses a good neighbour', () => {
    const field = fc.constantFrom(
      'messages',
      'calls',
      'user_preferences',
      'message_template_status_update',
      'x',
    )
    const part = fc.constantFrom('messages', 'statuses', 'calls', 'errors', 'contacts', 'user_preferences')
    const sample = fc.constantFrom(
      ...Object.values(messages),
      ...Object.values(statuses),
      ...Object.values(calls),
    )
    const mutated = fc
      .tuple(sample, fc.dictionary(fc.constantFrom(...keysOf([messages, statuses, calls])), fc.jsonValue()))
      .map(([good, bad]) => ({ ...good, ...bad }))
    fc.assert(
      fc.property(field, part, fc.array(fc.oneof(mutated, fc.jsonValue())), (name, place, elements) => {
        const { updates } = parse(
          change(name, { [place]: elements }),
          change('messages', { statuses: [statuses['sent']] }),
        )
        assert.equal(updates.at(-1)?.type, 'messageStatus')
      }),
      { numRuns: 500 },
    )
  })
})

const keysOf = (groups: Record<string, object>[]): string[] => [
  ...new Set(groups.flatMap((group) => Object.values(group).flatMap((element) => Object.keys(element)))),
]
