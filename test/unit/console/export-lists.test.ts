import assert from 'node:assert/strict'
import { type Columns, csvOf, cutLine } from '../../../src/console/export-lists.ts'
import type { PageRequest } from '../../../src/contract/page.ts'
import { test } from '../../support/harness.ts'

interface Row {
  readonly id: number
  readonly text: string | null
}

const columns: Columns<Row> = { id: ({ id }) => id, text: ({ text }) => text }

/** A list of `total` rows that counts its pages. */
function listOf(total: number, text: (id: number) => string | null = () => 'x') {
  const asked: number[] = []
  const read = async ({ limit, after }: PageRequest) => {
    asked.push(limit)
    const first = Number(after?.[0] ?? 0)
    const count = Math.min(limit, total - first)
    const data = Array.from({ length: count }, (_, index) => ({
      id: first + index,
      text: text(first + index),
    }))
    return { data, next: first + count < total ? [String(first + count)] : undefined }
  }
  return { asked, read }
}

async function linesOf(chunks: AsyncIterable<Uint8Array>): Promise<string[]> {
  let text = ''
  for await (const chunk of chunks) text += Buffer.from(chunk).toString('utf8')
  return text.split('\r\n')
}

const limits = { rows: 100_000, ms: 1_000, batch: 1_000 }

test('the file begins with a byte order mark and the names of its columns, and what looks like a formula is text', async () => {
  const texts = ['=1+1', '+49', '-1', '@a', 'a,"b"\nc', null, 'plain']
  const { read } = listOf(texts.length, (id) => texts[id] ?? null)
  assert.deepEqual(await linesOf(csvOf({ columns, read, now: () => 0 }, limits)), [
    '\ufeffid,text',
    ...["0,'=1+1", "1,'+49", "2,'-1", "3,'@a", '4,"a,""b""\nc"', '5,', '6,plain'],
    '',
  ])
})

test('a page is read when the reader has taken the one before, and a hundred thousand rows are never held', async () => {
  const { asked, read } = listOf(250_000)
  let [chunks, lines, largest] = [0, 0, 0]
  let last = ''
  for await (const chunk of csvOf({ columns, read, now: () => 0 }, limits)) {
    // The header is no page, and the last line comes after all pages.
    assert.equal(asked.length, Math.min(chunks, limits.rows / limits.batch))
    last = Buffer.from(chunk).toString('utf8')
    chunks += 1
    lines += last.split('\r\n').length - 1
    largest = Math.max(largest, chunk.byteLength)
  }
  assert.equal(lines, 1 + limits.rows + 1)
  assert.equal(last, `${cutLine(limits.rows)}\r\n`)
  assert.ok(largest < 20_000, `${largest} bytes at once`)
})

test('a reader who is too slow gets a file that says that it is cut; one that is whole says nothing', async () => {
  const slow = listOf(5_000)
  let nowMs = 0
  const now = () => {
    nowMs += 600
    return nowMs
  }
  const cut = await linesOf(csvOf({ columns, read: slow.read, now }, limits))
  assert.equal(cut.at(-2), cutLine(slow.asked.length * limits.batch))
  assert.ok(slow.asked.length < 5)
  const whole = await linesOf(
    csvOf({ columns, read: listOf(2_000).read, now: () => 0 }, { ...limits, rows: 2_000 }),
  )
  assert.equal(whole.length, 2_002)
})
