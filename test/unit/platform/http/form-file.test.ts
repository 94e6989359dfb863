import assert from 'node:assert/strict'
import { openFormFile } from '../../../../src/platform/http/form-file.ts'
import { describe, test } from '../../../support/harness.ts'

/** The bytes of a form as `fetch` writes it. */
async function formOf(fields: Readonly<Record<string, string | File>>) {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  const response = new Response(form)
  return {
    type: response.headers.get('content-type') ?? '',
    bytes: Buffer.from(await response.arrayBuffer()),
  }
}

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size)
}

async function collected(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

const refusal = async (run: () => Promise<unknown>) => {
  try {
    await run()
  } catch (error) {
    return (error as { code?: string }).code
  }
  return undefined
}

describe('the file of a form', () => {
  test('comes whole, however the body is cut, with lines in it that look like boundaries', async () => {
    const content = Buffer.from('a\r\n--b\r\n------c\r\n\r\n--\r\n\0\xff')
    const file = new File([content], 'in "quotes".png', { type: 'image/png' })
    const { type, bytes } = await formOf({ purpose: 'reply', file, after: 'more' })
    for (const size of [1, 2, 3, 7, 64, bytes.byteLength]) {
      const found = await openFormFile(type, inPieces(bytes, size))
      assert.equal(found.type, 'image/png')
      assert.equal(found.fileName, 'in "quotes".png')
      assert.deepEqual(await collected(found.pieces), content)
    }
  })

  test('has a name without folders; a part named file needs none', async () => {
    const part = (disposition: string) =>
      Buffer.from(
        `--b\r\nContent-Disposition: ${disposition}\r\nContent-Type: text/plain; x=1\r\n\r\nhi\r\n--b--`,
      )
    const nameOf = async (disposition: string) =>
      (await openFormFile('multipart/form-data; boundary="b"', inPieces(part(disposition), 5))).fileName
    assert.equal(await nameOf('form-data; name="x"; filename="C:\\\\temp\\\\a.txt"'), 'a.txt')
    assert.equal(await nameOf('form-data; name="x"; filename="../a.txt"'), 'a.txt')
    assert.equal(await nameOf(`form-data; name="x"; filename="y"; filename*=UTF-8''%E2%82%AC.txt`), '€.txt')
    assert.equal(await nameOf('form-data; name="file"'), '')
    // Postgres takes no zero bytes.
    assert.equal(await nameOf(`form-data; name="x"; filename*=utf-8''a%00b.png`), 'ab.png')
  })

  test('is refused where it is missing, broken off or behind too much', async () => {
    const { type, bytes } = await formOf({ purpose: 'reply' })
    for (const size of [1, 9, bytes.byteLength])
      await assert.rejects(openFormFile(type, inPieces(bytes, size)), {
        message: 'the form has no file; send it in the field file',
        details: [{ path: 'file', message: 'is required' }],
      })
    await assert.rejects(openFormFile(type, inPieces(bytes.subarray(0, -4), 9)), {
      message: /^the form ends before its last boundary; /,
      details: [{ path: 'file', message: 'cannot be read: the form ends before its last boundary' }],
    })
    assert.equal(
      await refusal(() => openFormFile('multipart/form-data', inPieces(bytes, 9))),
      'VALIDATION_ERROR',
    )
    const long = await formOf({ before: 'x'.repeat(70_000), file: new File(['a'], 'a') })
    assert.equal(
      await refusal(() => openFormFile(long.type, inPieces(long.bytes, 1_000))),
      'VALIDATION_ERROR',
    )
    const whole = await formOf({ file: new File(['abc'], 'a') })
    const cut = await openFormFile(whole.type, inPieces(whole.bytes.subarray(0, -10), 9))
    assert.equal(await refusal(() => collected(cut.pieces)), 'VALIDATION_ERROR')
  })

  test('gives its body up where it is refused, and where its reader stops', async () => {
    let open = 0
    async function* body(bytes: Uint8Array) {
      open += 1
      try {
        for await (const piece of inPieces(bytes, 9)) yield piece
      } finally {
        open -= 1
      }
    }
    const long = await formOf({ before: 'x'.repeat(70_000), file: new File(['a'], 'a') })
    assert.equal(await refusal(() => openFormFile(long.type, body(long.bytes))), 'VALIDATION_ERROR')
    assert.equal(open, 0)
    const whole = await formOf({ file: new File(['x'.repeat(1_000)], 'a') })
    const { pieces } = await openFormFile(whole.type, body(whole.bytes))
    assert.equal(open, 1)
    for await (const _ of pieces) break
    assert.equal(open, 0)
  })
})
