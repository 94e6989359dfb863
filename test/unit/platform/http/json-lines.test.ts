import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type JsonLine, readJsonLines } from '../../../../src/platform/http/json-lines.ts'
import { piecesOf } from '../../../support/csv.ts'
import { describe, test } from '../../../support/harness.ts'

async function read(
  bytes: string | Buffer,
  sizes: readonly number[] = [],
  lineBytes = 40,
): Promise<JsonLine[]> {
  const lines: JsonLine[] = []
  for await (const slice of readJsonLines(piecesOf(Buffer.from(bytes), sizes), lineBytes))
    lines.push(...slice)
  return lines
}

const short = (line: JsonLine) => ('fault' in line ? line.fault : line.value)

describe('JSON a line', () => {
  test('is read with LF or CRLF, a byte order mark, blank lines, and without an end to the last', async () => {
    const lines = await read('\ufeff{"a":1}\n\r\n\n[2]\r\n"é"')
    assert.deepEqual(lines.map(short), [{ a: 1 }, [2], 'é'])
  })

  test('says of each line that is none what is wrong, and goes on', async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"a":\n1\n'),
      Buffer.from('"\xe9"\n', 'latin1'),
      Buffer.from(`"${'x'.repeat(39)}"\n2\n"${'x'.repeat(38)}"\r\n`),
      Buffer.from('x'.repeat(500)),
    ])
    assert.deepEqual((await read(bytes)).map(short), [
      'must be JSON',
      1,
      'must be JSON in UTF-8',
      'must not be longer than 40 bytes',
      2,
      'x'.repeat(38),
      'must not be longer than 40 bytes',
    ])
  })

  test('is the same in whatever pieces it comes', async () => {
    const unit = fc.constantFrom('{"a":1}', '"é𝒳"', '1', '{', '\n', '\r\n', '\r', '\ufeff', 'x'.repeat(9))
    const texts = fc.array(unit, { maxLength: 30 }).map((parts) => parts.join(''))
    await fc.assert(
      fc.asyncProperty(texts, fc.array(fc.integer({ min: 0, max: 6 })), async (text, sizes) => {
        assert.deepEqual(await read(text, sizes, 16), await read(text, [], 16))
      }),
      { numRuns: 2_000 },
    )
  })
})
