import assert from 'node:assert/strict'
import type { InboundMessageUpdate } from '../../../src/contract/provider-updates.ts'
import { messageTypes } from '../../../src/contract/records/message.ts'
import { effectsOf } from '../../../src/messaging/inbound-effects.ts'
import { type Revisable, type Revising, revisedBy } from '../../../src/messaging/revision.ts'
import { optChangeOf } from '../../../src/messaging/stop-keywords.ts'
import { describe, test } from '../../support/harness.ts'

const at = (second: number) => new Date(1_793_000_000_000 + second * 1_000)
const iso = (second: number) => at(second).toISOString()
const edit = (second: number, text: string): Revising => ({
  ...{ type: 'EDIT', text, details: null, at: at(second) },
})
const revoke = (second: number): Revising => ({ type: 'REVOKE', text: '', details: null, at: at(second) })
const original: Revisable = { text: 'one', details: null }

describe('a message that was edited', () => {
  test('shows the last text, and each before it with the time until which it stood', () => {
    assert.deepEqual(revisedBy(original, [edit(1, 'two'), edit(2, 'three')]), {
      text: 'three',
      details: {
        edited: {
          at: iso(2),
          versions: [
            { text: 'one', until: iso(1) },
            { text: 'two', until: iso(2) },
          ],
        },
      },
    })
  })

  test('is the same however often it is worked out, and when an edit comes late', () => {
    const [first, second] = [edit(1, 'two'), edit(2, 'three')]
    const late = revisedBy(original, [second]) ?? assert.fail('nothing changed')
    const all = revisedBy(late, [first, second]) ?? assert.fail('nothing changed')
    assert.deepEqual(all, revisedBy(original, [first, second]))
    assert.deepEqual(revisedBy(all, [first, second]), all)
  })

  test('keeps the first text and the latest twenty, however often it is edited', () => {
    const edits = Array.from({ length: 100 }, (_, index) => edit(index, `text ${index}`))
    const versions = revisedBy(original, edits)?.details?.edited?.versions
    assert.deepEqual([versions?.length, versions?.[0]?.text, versions?.at(-1)?.text], [21, 'one', 'text 98'])
  })

  test('of which nothing can be read changes nothing', () => {
    const unreadable = { ...edit(1, ''), details: { unsupported: { type: 'hologram', errors: [] } } }
    assert.equal(revisedBy(original, [unreadable]), undefined)
    assert.equal(revisedBy(original, []), undefined)
  })
})

test('a message that was taken back says nothing any more, whatever came before or after', () => {
  const place = { latitude: 1, longitude: 2, name: null, address: null, url: null }
  const said: Revisable = { text: 'one', details: { location: place, group: { id: 'g' } } }
  const hidden = { text: '', details: { group: { id: 'g' }, revoked: { at: iso(2) } } }
  for (const changes of [[revoke(2)], [edit(1, 'two'), revoke(2)], [revoke(2), edit(3, 'two')]])
    assert.deepEqual(revisedBy(said, changes), hidden)
  assert.equal(revisedBy(hidden, [edit(1, 'two'), revoke(2), edit(3, 'three')]), undefined)
})

type Said = Pick<InboundMessageUpdate, 'messageType' | 'details'>
const all = { isShown: true, isUnread: true, isReply: true, opensWindow: true }
const none = { isShown: false, isUnread: false, isReply: false, opensWindow: false }
const reaction = (removed: boolean): Said => ({
  messageType: 'REACTION',
  details: {
    reaction: { messageId: null, providerMessageId: 'wamid.1', emoji: removed ? null : '👍', removed },
  },
})

describe('what an inbound message does', () => {
  test('is nothing for an edit, a revoke, a notice, a removed reaction and a request for a welcome', () => {
    const silent: Said[] = [
      { messageType: 'EDIT', details: null },
      { messageType: 'REVOKE', details: null },
      { messageType: 'SYSTEM', details: null },
      { messageType: 'UNSUPPORTED', details: { providerType: 'request_welcome' } },
      reaction(true),
    ]
    for (const said of silent) assert.deepEqual(effectsOf(said), none, said.messageType)
  })

  test('is to open the window alone for a reaction', () => {
    assert.deepEqual(effectsOf(reaction(false)), { ...none, isShown: true, opensWindow: true })
  })

  test('is everything for what is said to us, and nothing but to be shown in a group', () => {
    const silent = ['EDIT', 'REVOKE', 'SYSTEM', 'REACTION']
    for (const messageType of messageTypes.filter((type) => !silent.includes(type))) {
      assert.deepEqual(effectsOf({ messageType, details: null }), all, messageType)
      const inGroup = { messageType, details: { group: { id: 'g' } } }
      assert.deepEqual(effectsOf(inGroup), { ...none, isShown: true }, messageType)
      assert.equal(optChangeOf({ ...inGroup, text: 'STOP' }), undefined)
    }
  })
})
