// The rules of the inbox: what is held under a pointer, the clock, days, the line, drafts, and what a reply becomes.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import {
  bodiesOf,
  type Draft,
  type DraftFile,
  keptDrafts,
} from '../../../src/console/web/pages/conversations/draft.ts'
import { fileProblem } from '../../../src/console/web/pages/conversations/files.ts'
import { dayTitle, firstNew, heldRows, timeLeft } from '../../../src/console/web/pages/conversations/rules.ts'
import { fittingTemplates } from '../../../src/console/web/pages/conversations/template-parts.ts'
import type { TemplateRecord } from '../../../src/contract/records/catalog.ts'
import type { UploadRecord } from '../../../src/contract/records/upload.ts'
import { describe, test } from '../../support/harness.ts'

const row = (id: string, text = '') => ({ id, text })
const now = Date.parse('2026-11-22T12:00:00Z')
const inMs = (ms: number) => new Date(now + ms).toISOString()

describe('the list of the inbox', () => {
  test('holds the order under a pointer, with the latest content, and counts what waits', () => {
    const shown = [row('a'), row('b'), row('c')]
    const latest = [row('n'), row('c', 'new'), row('a'), row('b')]
    assert.deepEqual(heldRows(undefined, latest), { rows: latest, waiting: 0 })
    assert.deepEqual(heldRows(shown, latest), { rows: [row('a'), row('b'), row('c', 'new')], waiting: 1 })
  })

  test('takes older rows that were loaded on demand behind the last', () => {
    const shown = [row('a'), row('b')]
    const held = heldRows(shown, [row('n'), row('a'), row('b'), row('c')])
    assert.deepEqual(held, { rows: [row('a'), row('b'), row('c')], waiting: 1 })
  })

  test('never loses nor moves a row that is shown', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 0, max: 30 }).map(String))
    fc.assert(
      fc.property(ids, ids, (before, after) => {
        const { rows } = heldRows(
          before.map((id) => row(id)),
          after.map((id) => row(id)),
        )
        assert.deepEqual(
          rows.slice(0, before.length).map(({ id }) => id),
          before,
        )
        assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length)
      }),
    )
  })
})

describe('the clock of the window', () => {
  test('counts down in hours and minutes, and ends', () => {
    assert.equal(timeLeft(inMs((12 * 60 + 3) * 60_000 + 59_000), now)?.text, '12 h 03 min')
    assert.deepEqual(timeLeft(inMs(59 * 60_000), now), { text: '59 min', isShort: true })
    assert.equal(timeLeft(inMs(1), now)?.text, '1 min')
    for (const over of [null, inMs(0), inMs(-1)]) assert.equal(timeLeft(over, now), undefined)
  })

  test('names the days', () => {
    const day = (at: number) => new Date(at).toDateString()
    const at = new Date(2026, 2, 29, 12).getTime()
    const hours = (count: number) => new Date(at + count * 3_600_000).toISOString()
    assert.equal(dayTitle(hours(-11), at, day), 'Today')
    assert.equal(dayTitle(hours(-14), at, day), 'Yesterday')
    assert.equal(dayTitle(hours(-60), at, day), 'Fri Mar 27 2026')
  })
})

describe('the line above what is new', () => {
  const entry = (id: string, isInbound = true, isUnread = false) => ({ id, isInbound, isUnread })
  test('stands above the first that came from the customer since the last look, whatever its kind', () => {
    const entries = [entry('msg_1'), entry('msg_2'), entry('msg_3', false), entry('call_4'), entry('msg_5')]
    assert.equal(firstNew(entries, 'msg_2'), 'call_4')
    assert.equal(firstNew(entries, 'call_4'), 'msg_5')
    assert.equal(firstNew(entries, 'msg_5'), undefined)
  })

  test('stands above the unread for who has never looked, and not above everything', () => {
    const entries = [entry('msg_1'), entry('msg_2', true, true)]
    assert.equal(firstNew(entries, undefined), 'msg_2')
    assert.equal(firstNew(entries.slice(1), undefined), undefined)
  })
})

const upload = (id: string, mimeType: string, expiresAt = inMs(1_000)): UploadRecord => ({
  ...{ id, mimeType, expiresAt, fileName: id, sizeBytes: 1, sha256: '' },
})
const file = (record?: UploadRecord): DraftFile => ({
  ...{ key: record?.id ?? 'k', name: 'n', mimeType: '', sizeBytes: 1, progress: 0 },
  ...(record && { upload: record }),
})
const draft = (text: string, ...files: DraftFile[]): Draft => ({ text, files })

describe('a draft', () => {
  test('is kept with its files, but not with those that are not uploaded or have expired', () => {
    const [ready, old] = [file(upload('1', 'image/png')), file(upload('2', 'image/png', inMs(-1)))]
    const kept = keptDrafts({ a: draft('Hi', file(), ready, old), b: draft(' ', old), c: draft('') }, now)
    assert.deepEqual(kept, { a: draft('Hi', ready) })
  })

  test('becomes one message a file, the words being a caption where one can be', () => {
    const [picture, sound] = [file(upload('1', 'image/png')), file(upload('2', 'audio/ogg'))]
    assert.deepEqual(bodiesOf(draft(' Hi ')), [{ text: { body: 'Hi' } }])
    assert.deepEqual(bodiesOf(draft('Hi', sound, picture)), [
      { media: { kind: 'audio', id: '2' } },
      { media: { kind: 'image', id: '1', caption: 'Hi' } },
    ])
    assert.deepEqual(bodiesOf(draft('Hi', sound)), [
      { media: { kind: 'audio', id: '2' } },
      { text: { body: 'Hi' } },
    ])
    const long = 'x'.repeat(1_025)
    assert.deepEqual(bodiesOf(draft(long, picture)), [
      { media: { kind: 'image', id: '1' } },
      { text: { body: long } },
    ])
  })

  const problemOf = (type: string, size: number) =>
    fileProblem({ type, size }, (bytes) => `${bytes / 1_048_576} MiB`)
  test('takes no file that customers cannot be sent, and says why', () => {
    assert.equal(problemOf('image/png', 5 * 1_048_576), undefined)
    assert.match(problemOf('image/png', 5 * 1_048_576 + 1) ?? '', /at most 5 MiB/)
    assert.match(problemOf('audio/flac', 1) ?? '', /^Customers can be sent/)
    assert.equal(problemOf('text/plain', 0), 'The file is empty.')
  })
})

describe('the choice of a template', () => {
  const template = (name: string, text: string, unsupported: string[] = []) =>
    ({
      id: name,
      name,
      language: 'en',
      category: 'UTILITY',
      unsupported,
      components: [{ type: 'BODY', text }],
    }) as never as TemplateRecord
  const all = [
    template('z_order_late', 'We are sorry'),
    template('hello', 'Your order is ready'),
    template('order_ready', 'Come by'),
    template('broken', 'order ready', ['button 0']),
  ]
  const found = (text: string) => fittingTemplates(all, text).map(({ name }) => name)
  test('finds by name and words, those whose name begins so first, and none that cannot be sent', () => {
    assert.deepEqual(found('order'), ['order_ready', 'hello', 'z_order_late'])
    assert.deepEqual(found('Ready ORDER'), ['hello', 'order_ready'])
    assert.deepEqual(found(''), ['hello', 'order_ready', 'z_order_late'])
    assert.deepEqual(found('nothing'), [])
  })
})
