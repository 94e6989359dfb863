// How the console cuts a file of recipients for its upload: no row is lost, every slice has the header, and
// every row keeps its line number.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type FileForm, slicesOf } from '../../../src/console/web/pages/campaigns/slices.ts'
import { describe, test } from '../../support/harness.ts'

async function cut(text: string, form: FileForm, rows = 2) {
  const slices: { text: string; lines: readonly number[]; bytesDone: number }[] = []
  for await (const { body, lines, bytesDone } of slicesOf(new Blob([text]), form, { rows, bytes: 1_000_000 }))
    slices.push({ text: await body.text(), lines, bytesDone })
  return slices
}

describe('slices of recipients', () => {
  test('every slice of CSV has the header, and every row its line', async () => {
    const text = 'to,name\r\n+1,a\r\n\r\n+2,b\r\n+3,c'
    assert.deepEqual(await cut(text, 'csv'), [
      { text: 'to,name\r\n+1,a\r\n\r\n+2,b\r\n', lines: [2, 4], bytesDone: 23 },
      { text: 'to,name\r\n+3,c', lines: [5], bytesDone: 27 },
    ])
  })

  test('a line end within quotes is text, and a quote within a cell opens nothing', async () => {
    const text = 'to;name\n+1;"a\n""b"";"\n+2;c"d\n+3;e\n'
    const slices = await cut(text, 'csv', 1)
    assert.deepEqual(
      slices.map(({ text: body, lines }) => [body, lines]),
      [
        ['to;name\n+1;"a\n""b"";"\n', [2]],
        ['to;name\n+2;c"d\n', [4]],
        ['to;name\n+3;e\n', [5]],
      ],
    )
  })

  test('lines of JSON have no header, and quotes mean nothing', async () => {
    const text = '{"to":"+1"}\n\n{"to":"+2\n{"to":"+3"}'
    const slices = await cut(text, 'ndjson')
    assert.deepEqual(
      slices.map(({ lines }) => lines),
      [[1, 3], [4]],
    )
    assert.equal(slices.map((slice) => slice.text).join(''), text)
  })

  test('a file without rows is one slice, so that the server says what is wrong', async () => {
    for (const text of ['', '\n\n', 'to,name', 'to,name\r\n']) {
      assert.deepEqual(
        (await cut(text, 'csv')).map((slice) => [slice.text, slice.lines]),
        [[text, []]],
        JSON.stringify(text),
      )
    }
  })

  test('whatever the rows are, each comes once and in order', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', 'é', ' ', '1') })
    await fc.assert(
      fc.asyncProperty(
        fc.array(cell, { maxLength: 20 }),
        fc.integer({ min: 1, max: 5 }),
        async (cells, size) => {
          const rows = cells.map((text, index) => `+${index},"${text}\n"\n`)
          const slices = await cut(`to,name\n${rows.join('')}`, 'csv', size)
          const bodies = slices.map((slice) => slice.text.slice('to,name\n'.length))
          assert.equal(bodies.join(''), rows.join(''))
          assert.deepEqual(
            slices.flatMap(({ lines }) => lines),
            rows.map((_, index) => 2 + 2 * index),
          )
        },
      ),
    )
  })
})
