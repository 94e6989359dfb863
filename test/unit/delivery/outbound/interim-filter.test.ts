import assert from 'node:assert/strict'
import { InterimFilter } from '../../../../src/delivery/outbound/interim-filter.ts'
import { describe, test } from '../../../support/harness.ts'

/** What passes when the text comes in pieces of this many bytes. */
function passed(text: string, size: number): string {
  const filter = new InterimFilter()
  filter.expectAnswer()
  let out = ''
  for (let at = 0; at < text.length; at += size)
    out += filter.pass(Buffer.from(text.slice(at, at + size), 'latin1')).toString('latin1')
  return out
}

const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 22\r\n\r\nHTTP/1.1 100 Continue\r\n'

describe('the filter of interim answers', () => {
  for (const [name, text, rest] of [
    ['one interim answer', `HTTP/1.1 100 Continue\r\n\r\n${answer}`, answer],
    [
      'several, with headers',
      `HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.0 100\r\n\r\n${answer}`,
      answer,
    ],
    ['an answer alone', answer, answer],
    ['an end that begins again', `HTTP/1.1 102 P\r\nx: \r\r\n\r\n${answer}`, answer],
    ['a switch of protocols', `HTTP/1.1 101 S\r\n\r\n${answer}`, `HTTP/1.1 101 S\r\n\r\n${answer}`],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a status of four digits', 'HTTP/1.1 1000 X\r\n\r\n', 'HTTP/1.1 1000 X\r\n\r\n'],
  ] as const)
    test(`${name}: passes what belongs to the answer, however it is cut`, () => {
      for (let size = 1; size <= text.length; size += 1) assert.equal(passed(text, size), rest, `${size}`)
    })

  test('passes everything until an answer is expected, and again after one', () => {
    const filter = new InterimFilter()
    const unasked = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n')
    assert.equal(filter.pass(unasked), unasked)
    filter.expectAnswer()
    assert.equal(filter.pass(unasked).byteLength, 0)
    filter.expectAnswer()
    assert.equal(filter.pass(Buffer.from('HTTP/1.1 204 No\r\n\r\n')).byteLength, 19)
    assert.equal(filter.pass(unasked), unasked)
  })
})
