import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { eventClasses, eventKinds } from '../../src/contract/events.ts'
import { limits } from '../../src/contract/limits.ts'
import { grants, scopes } from '../../src/contract/scopes.ts'
import { loadSettings } from '../../src/platform/config/config.ts'
import { version } from '../../src/shared/version.ts'
import { describe, test } from '../support/harness.ts'

// The catalogues of the API contract, as literals: changing a catalogue changes the contract.

describe('the release', () => {
  test('is that of package.json', () => {
    const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
    assert.equal(version, JSON.parse(text).version)
  })
})

describe('scopes', () => {
  const included = {
    CHAT_SEND: ['CATALOG_READ'],
    MESSAGES_READ: [],
    MEDIA_READ: [],
    CONVERSATIONS_READ: [],
    CONTACTS_EXPORT: [],
    CONTACTS_ERASE: [],
    CONVERSATIONS_WRITE: [],
    CALLS_READ: [],
    CALLS_WRITE: ['CALLS_READ'],
    CAMPAIGNS_READ: [],
    CAMPAIGNS_WRITE: ['CAMPAIGNS_READ', 'CATALOG_READ'],
    CATALOG_READ: [],
  }

  test('are those of the contract, and each grants itself, what it includes and nothing else [scopes]', () => {
    assert.deepEqual([...scopes].sort(), Object.keys(included).sort())
    for (const held of scopes) {
      const granted = scopes.filter((needed) => grants([held], needed))
      assert.deepEqual(granted.sort(), [held, ...included[held]].sort())
    }
  })

  test('are added up over a key, and no scope grants nothing', () => {
    assert.equal(grants(['MEDIA_READ', 'CALLS_WRITE'], 'CALLS_READ'), true)
    assert.deepEqual(
      scopes.filter((needed) => grants([], needed)),
      [],
    )
  })
})

describe('events', () => {
  test('are six: four queued, two direct [events]', () => {
    const classes = Object.fromEntries(eventKinds.map((kind) => [kind, eventClasses[kind].delivery]))
    assert.deepEqual(classes, {
      'message.status': 'queued',
      'message.received': 'queued',
      'call.status': 'queued',
      'call.ringing': 'direct',
      'call.accepted': 'direct',
      'account.updated': 'queued',
    })
    assert.deepEqual(Object.keys(eventClasses).sort(), [...eventKinds].sort())
  })
})

describe('delivery', () => {
  test('six attempts, 10 s, 1 min, 5 min, 30 min and 2 h apart, 10 s each; direct ones 5 s [delivery rules 2, limits]', () => {
    const settings = loadSettings({})
    assert.deepEqual(
      settings.WEBHOOK_RETRY_DELAYS,
      [10, 60, 300, 1_800, 7_200].map((seconds) => seconds * 1_000),
    )
    assert.equal(settings.WEBHOOK_RETRY_DELAYS.length + 1, limits.attempts)
    assert.equal(limits.attempts, 6)
    assert.equal(settings.WEBHOOK_TIMEOUT, 10_000)
    assert.equal(settings.DIRECT_TIMEOUT, 5_000)
  })

  test('twenty failures in a row switch an endpoint off, warned of at 10, 14 and 18 [delivery rules 4]', () => {
    assert.equal(limits.failuresToDisable, 20)
    assert.deepEqual(limits.failureWarnings, [10, 14, 18])
  })
})
