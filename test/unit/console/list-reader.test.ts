// What a list shows when its answers come in another order than they were asked for.
import assert from 'node:assert/strict'
import { createListReader, type ListState, type PageBody } from '../../../src/console/web/core/list-reader.ts'
import { describe, test } from '../../support/harness.ts'

interface Row {
  readonly id: string
  readonly text?: string
}

interface Asked {
  readonly path: string
  answer(ids: string, nextCursor?: string | null): Promise<void>
  fail(failure: Error): Promise<void>
}

/** Capitals are rows that have moved. */
const rowsOf = (ids: string): Row[] =>
  [...ids].map((id) => (id >= 'A' && id <= 'Z' ? { id: id.toLowerCase(), text: 'moved' } : { id }))
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Each answer is given by the test. */
function open(placeOf = ({ id }: Row) => id) {
  let state: ListState<Row> = { path: '/things' }
  const asked: Asked[] = []
  const reader = createListReader<Row>('/things', {
    placeOf,
    isOutage: ({ message }) => message === 'away',
    toError: (failure) => Object.assign(failure as Error, { status: 503, details: [] }) as never,
    show: (next) => {
      state = next
    },
    read: (path) =>
      new Promise<PageBody<Row>>((resolve, reject) => {
        asked.push({
          path,
          answer(ids, nextCursor = null) {
            resolve({ data: rowsOf(ids), nextCursor })
            return settled()
          },
          fail(failure) {
            reject(failure)
            return settled()
          },
        })
      }),
  })
  const nth = (index: number): Asked => asked[index - 1] ?? assert.fail(`nothing was asked a ${index}. time`)
  const shown = () => state.rows?.map(({ id }) => id).join('')
  reader.open('/things')
  return { reader, asked, nth, shown, state: () => state }
}

describe('a list that is read again', () => {
  test('reads what follows on the last row anew if the first page has become another meanwhile', async () => {
    const { reader, asked, nth, shown, state } = open()
    await nth(1).answer('ba', 'after-a')
    void reader.loadMore()
    void reader.refresh()
    await nth(3).answer('zy', 'after-y')
    assert.equal(shown(), 'zy', 'nothing is known of the rows between')
    await nth(2).answer('98')
    assert.equal(shown(), 'zy')
    assert.equal(nth(4).path, '/things?cursor=after-y')
    await nth(4).answer('xw', 'after-w')
    assert.equal(shown(), 'zyxw')
    assert.ok(!state().isLoadingMore)
    assert.equal(asked.length, 4)
  })

  test('keeps rows that a full first page pushed down', async () => {
    const { reader, nth, shown } = open()
    await nth(1).answer('ba', 'after-a')
    void reader.loadMore()
    void reader.refresh()
    await nth(3).answer('cb', 'after-b')
    await nth(2).answer('98')
    assert.equal(shown(), 'cba98')
  })

  test('takes a row that has moved for no sign that nothing is between', async () => {
    const { reader, nth, shown } = open(({ id, text }) => `${id} ${text}`)
    await nth(1).answer('dc', 'after-c')
    void reader.loadMore()
    await nth(2).answer('ba')
    void reader.refresh()
    await nth(3).answer('Ad', 'after-d')
    assert.equal(shown(), 'adcb')
    void reader.refresh()
    await nth(4).answer('xB', 'after-b')
    assert.equal(shown(), 'xb', 'c and d may have moved behind b')
  })

  test('leaves out an answer that is older than the one that is shown, also a failure', async () => {
    const { reader, nth, shown, state } = open()
    await nth(1).answer('a')
    for (let times = 0; times < 3; times += 1) void reader.refresh()
    await nth(4).answer('cba')
    await nth(2).answer('ba')
    await nth(3).fail(new Error('away'))
    assert.equal(shown(), 'cba')
    assert.equal(state().error, undefined)
  })

  test('keeps its rows and tells of any failure, until an answer comes', async () => {
    const { reader, nth, shown, state } = open()
    await nth(1).answer('a')
    void reader.refresh()
    await nth(2).fail(new Error('too busy'))
    assert.deepEqual([shown(), state().error?.message], ['a', 'too busy'])
    void reader.refresh()
    await nth(3).answer('ba')
    assert.deepEqual([shown(), state().error], ['ba', undefined])
  })

  test('reads once more if a row was changed by hand meanwhile', async () => {
    const { reader, nth, state } = open()
    await nth(1).answer('a')
    void reader.refresh()
    reader.replace({ id: 'a', text: 'new' })
    await nth(2).answer('a')
    assert.deepEqual(state().rows, [{ id: 'a', text: 'new' }])
    await nth(3).answer('ba')
    assert.deepEqual(state().rows, rowsOf('ba'))
  })

  test('goes on where nothing is loading any more after it was opened anew', async () => {
    const { reader, nth, shown, state } = open()
    await nth(1).answer('a', 'after-a')
    void reader.loadMore()
    reader.open('/things')
    await nth(3).answer('ba', 'after-a')
    await nth(2).answer('9')
    assert.equal(shown(), 'ba')
    assert.ok(!state().isLoadingMore)
    void reader.loadMore()
    await nth(4).fail(new Error('away'))
    assert.equal(state().error?.message, 'away')
    assert.equal(shown(), 'ba')
  })
})
