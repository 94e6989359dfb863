import assert from 'node:assert/strict'
import type { ByteRange } from '../../../../src/contract/blobs.ts'
import { AppError } from '../../../../src/contract/errors.ts'
import { readRange } from '../../../../src/platform/http/byte-range.ts'
import { attachment, fileAnswer } from '../../../../src/platform/http/file-answer.ts'
import { RawAnswer } from '../../../../src/platform/http/route.ts'
import { describe, test } from '../../../support/harness.ts'

const sha256 = 'ab'.repeat(32)
const etag = `"${sha256}"`

async function ask(
  headers: Record<string, string> = {},
  more: { mimeType?: string; sizeBytes?: number } = {},
) {
  const ranges: (ByteRange | undefined)[] = []
  const file = {
    ...{ mimeType: 'image/png', fileName: 'a.png', sizeBytes: 100, sha256, ...more },
    body: async (range: ByteRange | undefined) => {
      ranges.push(range)
      return (async function* () {})()
    },
  }
  const answer = await fileAnswer({ header: (name) => headers[name] }, file)
  return { status: answer.status, headers: answer.headers ?? {}, ranges, isRaw: answer instanceof RawAnswer }
}

describe('a range', () => {
  test('is read as the standard says', () => {
    const part = (start: number, end: number) => ({ type: 'part', start, end })
    const cases: Record<string, unknown> = {
      'bytes=0-0': part(0, 0),
      'bytes=10-19': part(10, 19),
      'bytes=90-': part(90, 99),
      'bytes=-10': part(90, 99),
      'bytes=-1000': part(0, 99),
      'bytes=50-1000': part(50, 99),
      'BYTES=1-2': part(1, 2),
      'bytes=100-': { type: 'unsatisfiable' },
      'bytes=100-200': { type: 'unsatisfiable' },
      [`bytes=${'9'.repeat(16)}-`]: { type: 'unsatisfiable' },
      [`bytes=${'9'.repeat(400)}-`]: { type: 'unsatisfiable' },
      [`bytes=50-${'9'.repeat(400)}`]: part(50, 99),
      [`bytes=-${'9'.repeat(400)}`]: part(0, 99),
      'bytes=-0': { type: 'unsatisfiable' },
    }
    for (const [header, expected] of Object.entries(cases))
      assert.deepEqual(readRange(header, 100), expected, header)
  })

  test('that is none, or is several, asks for all of it', () => {
    for (const header of [
      undefined,
      '',
      'bytes',
      'bytes=',
      'bytes=-',
      'bytes=a-b',
      'bytes=5-4',
      'bytes=0-1,3-4',
      'items=0-1',
      'bytes=1-2-3',
    ])
      assert.deepEqual(readRange(header, 100), { type: 'whole' }, header)
  })

  test('of an empty file cannot be given', () => {
    for (const header of ['bytes=0-', 'bytes=0-0', 'bytes=-1'])
      assert.deepEqual(readRange(header, 0), { type: 'unsatisfiable' }, header)
  })
})

describe('a file', () => {
  test('is given whole, as a download, with what a client needs to ask again', async () => {
    const { status, headers, ranges } = await ask()
    assert.deepEqual([status, ranges], [200, [undefined]])
    assert.deepEqual(headers, {
      etag,
      'cache-control': 'private, no-cache',
      'content-type': 'image/png',
      'content-disposition': 'attachment; filename="a.png"; filename*=UTF-8\'\'a.png',
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-length': '100',
    })
  })

  test('is given in part', async () => {
    const { status, headers, ranges } = await ask({ range: 'bytes=10-19' })
    assert.deepEqual([status, ranges], [206, [{ start: 10, end: 19 }]])
    assert.deepEqual([headers['content-length'], headers['content-range']], ['10', 'bytes 10-19/100'])
  })

  test('is refused where the part is not in it, with its length', async () => {
    await assert.rejects(ask({ range: 'bytes=100-' }), (error: unknown) => {
      assert.ok(error instanceof AppError)
      assert.deepEqual(
        [error.code, error.headers],
        ['RANGE_NOT_SATISFIABLE', { 'content-range': 'bytes */100' }],
      )
      return true
    })
  })

  test('is not given to a client that has it, whatever part it wants', async () => {
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const { status, headers, ranges, isRaw } = await ask({ 'if-none-match': known, range: 'bytes=0-1' })
      assert.deepEqual([status, ranges, isRaw, headers['etag']], [304, [], false, etag], known)
    }
    for (const other of ['"x"', sha256, '']) assert.equal((await ask({ 'if-none-match': other })).status, 200)
  })

  test('is given whole where the part is of another version', async () => {
    const statusOf = async (condition: string) =>
      (await ask({ range: 'bytes=0-1', 'if-range': condition })).status
    assert.equal(await statusOf(etag), 206)
    for (const other of ['"x"', `W/${etag}`, 'Fri, 20 Nov 2026 14:21:03 GMT'])
      assert.equal(await statusOf(other), 200)
  })

  test('without bytes is opened by nobody', async () => {
    const { status, headers, ranges } = await ask({}, { sizeBytes: 0 })
    assert.deepEqual([status, headers['content-length'], ranges], [200, '0', []])
  })

  test('keeps its media type where that is one', async () => {
    for (const good of ['audio/ogg; codecs=opus', 'application/vnd.ms-excel', 'text/plain; charset="utf-8"'])
      assert.equal((await ask({}, { mimeType: good })).headers['content-type'], good)
    for (const bad of ['', 'png', 'text/html\r\nx: y', 'a/b c', 'text/html; <script>'])
      assert.equal(
        (await ask({}, { mimeType: bad })).headers['content-type'],
        'application/octet-stream',
        bad,
      )
  })
})

describe('the name of a download', () => {
  test('is in ASCII and as it is, and leads nowhere', () => {
    const named = (name: string) => attachment(name).replace('attachment; filename=', '')
    assert.equal(named('Olá (1).pdf'), '"Ol_ (1).pdf"; filename*=UTF-8\'\'Ol%C3%A1%20%281%29.pdf')
    assert.equal(named('a"b\\..\\c%41".txt'), '"c_41_.txt"; filename*=UTF-8\'\'c%2541%22.txt')
    assert.equal(named('../../etc/passwd'), '"passwd"; filename*=UTF-8\'\'passwd')
    assert.equal(named('.htaccess'), '"htaccess"; filename*=UTF-8\'\'htaccess')
    // The bidirectional override displays a name that ends in `gnp.exe` as one that ends in `exe.png`.
    assert.equal(named('a\u202egnp.exe\r\nx: y'), '"agnp.exex: y"; filename*=UTF-8\'\'agnp.exex%3A%20y')
    for (const none of ['', '..', '/', '\u200b', '\ud800'])
      assert.equal(named(none), '"file"; filename*=UTF-8\'\'file')
  })

  test('is not longer than a file system takes, and keeps its ending', () => {
    const [, name] = /filename="([^"]*)"/.exec(attachment(`${'x'.repeat(500)}.pdf`)) ?? []
    assert.equal(name, `${'x'.repeat(146)}.pdf`)
    assert.equal(/filename="([^"]*)"/.exec(attachment('😀'.repeat(500)))?.[1]?.length, 150)
  })
})
