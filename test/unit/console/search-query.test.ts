import assert from 'node:assert/strict'
import { phonePart, searchQuery } from '../../../src/console/search-query.ts'
import { afterToken } from '../../../src/console/store/search.store.ts'
import { encodeId, idRange, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

describe('what is typed into the search', () => {
  test('is a number in any spelling', () => {
    const cases: [typed: string, leads: string[], ends: string[]][] = [
      ['+49 151', ['49151'], []],
      ['+49 (0)151', ['49151'], []],
      ['0049-151', ['49151'], ['0049151', '49151']],
      ['0151/123', ['0151123'], ['0151123', '151123']],
      ['5678', ['5678'], ['5678']],
      ['0012', [], ['0012']],
      ['(555) 700.0101', ['5557000101'], ['5557000101']],
      ['+55 11 98765-4321', ['5511987654321', '551187654321'], []],
    ]
    for (const [typed, leads, ends] of cases) assert.deepEqual(phonePart(typed), { leads, ends }, typed)
    for (const typed of ['12', '+1', 'a123', '12-a', '+', '(', '', '--1', '1+2'])
      assert.equal(phonePart(typed), undefined, typed)
  })

  test('is an id, whole or from its time on, of a kind that there is', () => {
    const uuid = newId('message')
    const id = encodeId('message', uuid)
    assert.deepEqual(idRange(id), { kind: 'message', from: uuid, to: uuid })
    const part = idRange(id.slice(0, 16))
    assert.ok(part && part.from <= uuid && part.to >= uuid && part.from < part.to)
    for (const text of [
      id.slice(0, 12),
      'abc_01m7x2p9wne2brd5cdy4a6jp0g',
      `${id}0`,
      'msg_zzzzzzzzzzz',
      'msg_01m7x2p9wu',
    ])
      assert.equal(idRange(text), undefined, text)
  })

  test('loses what was copied around it, and the @ of a username', () => {
    assert.equal(searchQuery(' "wamid.A",').token, 'wamid.A')
    assert.equal(searchQuery('@mia.k').name, 'mia.k')
    assert.deepEqual(
      [searchQuery('two words').token, searchQuery('!?').name, searchQuery('US.1349').userId],
      [undefined, undefined, 'US.1349'],
    )
  })

  test('the end of a range is behind all keys that begin so', () => {
    const cases: [string, string | undefined][] = [
      ['order-8', 'order-9'],
      ['order-9', 'ordes'],
      ['order-', 'ordes'],
      ['aZ9.', 'b'],
      ['999', undefined],
      ['ключ', undefined],
    ]
    for (const [token, end] of cases) assert.equal(afterToken(token), end, token)
  })
})
