import assert from 'node:assert/strict'
import { mediaType } from '../../../../src/platform/http/read-body.ts'
import { encode, formFor } from '../../../../src/shared/encoded.ts'
import { describe, test } from '../../../support/harness.ts'

// A step for each character is a millisecond; a step for each pair of them would be seconds, and for each way to divide
// them would not end.
describe('heads that a stranger may send, of the largest size,', () => {
  test('name a media type, or none', () => {
    const spaces = ' '.repeat(9)
    assert.equal(mediaType('text/csv; charset=utf-8; header=present'), 'text/csv')
    assert.equal(mediaType(`a/b${`;boundary=x${spaces}`.repeat(800)};z`), undefined)
    assert.equal(mediaType(`a/b;charset${' '.repeat(16_000)}=x`), undefined)
    assert.equal(
      mediaType(`application/json${' '.repeat(8_000)};${' '.repeat(8_000)}charset=utf-8`),
      'application/json',
    )
  })

  test('name encodings', async () => {
    const encoded = await encode(Buffer.from('x'.repeat(1_000)))
    const spaces = ' '.repeat(16_000)
    assert.equal(formFor(encoded, `a${spaces}b`).body, encoded.bytes)
    assert.equal(formFor(encoded, `gzip${spaces};q=1`).body, encoded.gzip)
  })
})

test('parameters of a media type', () => {
  for (const header of [
    ...[
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8" ',
    ],
    'application/json ; charset = utf-8',
  ])
    assert.equal(mediaType(header), 'application/json', header)
  assert.equal(mediaType('multipart/form-data; boundary=----a; charset=utf-8'), 'multipart/form-data')
  assert.equal(mediaType('audio/ogg; codecs=opus'), 'audio/ogg')
  for (const header of [
    '',
    'json',
    'application/json;',
    'application/json; charset=latin1',
    'application/json; x=y',
  ])
    assert.equal(mediaType(header), undefined, header)
})
