import assert from 'node:assert/strict'
import fc from 'fast-check'
import * as v from 'valibot'
import { AppError } from '../../../../src/contract/errors.ts'
import { toPage } from '../../../../src/contract/page.ts'
import {
  byActivity,
  byId,
  decodeCursor,
  encodeCursor,
  pageBody,
  pageQuery,
  pageRequest,
} from '../../../../src/platform/http/paging.ts'
import { newId } from '../../../../src/shared/ids.ts'
import { anyText } from '../../../support/any-text.ts'
import { describe, test } from '../../../support/harness.ts'

const messages = byId('messages')
const activity = byActivity('conversations')
const instants = fc
  .date({
    min: new Date('0001-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  .map((at) => at.toISOString())
const schema = v.strictObject(pageQuery)
const base64url = (text: string) => Buffer.from(text).toString('base64url')

describe('cursors', () => {
  test('a cursor comes back as the keyset it was made of', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        assert.deepEqual(decodeCursor(messages, encodeCursor(messages, [id])), [id])
      }),
    )
  })

  test('a cursor of an instant and an id comes back, too', () => {
    const keysets = fc.tuple(instants, fc.uuid())
    fc.assert(
      fc.property(keysets, (keyset) => {
        assert.deepEqual(decodeCursor(activity, encodeCursor(activity, keyset)), keyset)
      }),
    )
  })

  const good = encodeCursor(activity, ['2026-11-20T14:21:03.127Z', newId('message')])
  const noneIsTaken = (cursors: readonly string[]) =>
    assert.deepEqual(
      cursors.filter((cursor) => cursor !== good && decodeCursor(activity, cursor) !== undefined),
      [],
    )

  test('a cursor with any one letter changed, lost or added is none', () => {
    const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=\0é']
    for (let at = 0; at <= good.length; at += 1) {
      const [before, after, next] = [good.slice(0, at), good.slice(at), good.slice(at + 1)]
      noneIsTaken([before + next, ...letters.flatMap((one) => [before + one + after, before + one + next])])
    }
  })

  test('a cursor of which any one byte was changed is none', () => {
    const bytes = Buffer.from(good, 'base64url')
    const withByte = (at: number, byte: number) =>
      Buffer.concat([bytes.subarray(0, at), Buffer.of(byte), bytes.subarray(at + 1)]).toString('base64url')
    for (const at of bytes.keys()) noneIsTaken(Array.from({ length: 256 }, (_, byte) => withByte(at, byte)))
  })

  test('whatever a cursor is, the request is taken or refused by the path cursor', () => {
    fc.assert(
      fc.property(anyText(), (cursor) => {
        try {
          pageRequest(activity, { limit: 1, cursor })
        } catch (error) {
          assert.ok(error instanceof AppError && error.code === 'VALIDATION_ERROR')
          assert.deepEqual(
            error.details?.map(({ path }) => path),
            ['cursor'],
          )
        }
      }),
    )
  })

  test('nothing else is a cursor: no text decodes to anything but its own keyset', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String(), fc.json().map(base64url)), (text) => {
        const keyset = decodeCursor(messages, text)
        if (keyset) assert.equal(encodeCursor(messages, keyset), text)
      }),
    )
  })

  test('a cursor of another list, of another form or in another spelling is refused', () => {
    const id = newId('message')
    const good = encodeCursor(messages, [id])
    const bad = [
      encodeCursor(byId('calls'), [id]),
      encodeCursor(messages, [id, id]),
      encodeCursor(messages, []),
      encodeCursor(messages, ["' or 1=1 --"]),
      encodeCursor(messages, [7 as unknown as string]),
      base64url('{}'),
      base64url(JSON.stringify(['messages', id])),
      base64url(JSON.stringify(JSON.parse(Buffer.from(good, 'base64url').toString()), null, 1)),
      `${good}=`,
      `${good} `,
      good.slice(0, -1),
      '',
    ]
    for (const cursor of bad) assert.equal(decodeCursor(messages, cursor), undefined, cursor)
  })

  test('a bad cursor is a VALIDATION_ERROR of the path cursor', () => {
    assert.throws(
      () => pageRequest(messages, { limit: 50, cursor: 'garbage' }),
      (error) => error instanceof AppError && error.status === 400 && error.details?.[0]?.path === 'cursor',
    )
  })
})

describe('limit', () => {
  test('is 50 unless said otherwise', () => {
    assert.deepEqual(v.parse(schema, {}), { limit: 50 })
  })

  test('is taken from 1 to 200', () => {
    for (const limit of ['1', '200']) assert.equal(v.parse(schema, { limit }).limit, Number(limit))
    for (const limit of ['0', '201', '-1', '1.5', '1e2', ' 5', '', 'all', '99999999999'])
      assert.ok(!v.is(schema, { limit }), limit)
  })
})

describe('pages', () => {
  const rows = [5, 4, 3].map((at) => ({ id: `00000000-0000-7000-8000-00000000000${at}` }))

  test('one row too many makes a next page that starts after the last row shown', () => {
    const page = toPage(
      rows,
      2,
      (row) => [row.id],
      (row) => row.id.at(-1),
    )
    const body = pageBody(messages, page)
    assert.deepEqual(body.data, ['5', '4'])
    assert.deepEqual(pageRequest(messages, { limit: 2, cursor: body.nextCursor ?? '' }).after, [rows[1]?.id])
  })

  test('a page that is just full is the last one', () => {
    const page = toPage(
      rows,
      3,
      (row) => [row.id],
      (row) => row,
    )
    assert.equal(pageBody(messages, page).nextCursor, null)
  })
})
