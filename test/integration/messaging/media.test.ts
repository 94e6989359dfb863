import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { delayAfter } from '../../../src/messaging/fetch-media.ts'
import { deleteFiles } from '../../../src/messaging/store/delete-files.ts'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { message } from '../../support/fixtures.ts'
import { describe, test } from '../../support/harness.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'
import { gateway } from '../api/gateway.ts'
import { sha256, type Told } from './media-provider.ts'
import {
  asked,
  attachment,
  attempted,
  fetching,
  files,
  party,
  providerApi,
  rowOf,
  sql,
  until,
} from './media-world.ts'

describe('a file that the provider has', () => {
  test('is stored with its size and digest, and given out', async () => {
    const bytes = randomBytes(300_000)
    const own = await party()
    const id = await attachment(own, { bytes })
    const { fetcher, find, unfinished } = await fetching()
    await fetcher.fetchNow(id)
    await attempted(id, 1)
    const { state, sizeBytes, sha256: digest, blobKey, dueIn } = await rowOf(id)
    assert.deepEqual([state, sizeBytes, digest, dueIn], ['STORED', bytes.length, sha256(bytes), null])
    assert.equal(blobKey, `${own.workspaceId}/${id}`)
    const found = await find(own.workspaceId, id, new AbortController().signal)
    assert.deepEqual([found.mimeType, found.sizeBytes], ['image/png', bytes.length])
    const blob = await found.open({ start: 1, end: 3 })
    const chunks = []
    for await (const chunk of blob?.body ?? assert.fail()) chunks.push(chunk)
    assert.deepEqual(Buffer.concat(chunks), bytes.subarray(1, 4))
    assert.deepEqual(await unfinished(), [])
  })

  test('is fetched once, however many processes look for work', async () => {
    const own = await party()
    const ids = await Promise.all(
      Array.from({ length: 20 }, () => attachment(own, { bytes: randomBytes(1_000) })),
    )
    const processes = await Promise.all([fetching(), fetching(), fetching()])
    await until('all are stored', async () => {
      await Promise.all(processes.map(({ fetcher }) => fetcher.sweep()))
      const rows = await Promise.all(ids.map(rowOf))
      return rows.every(({ state }) => state === 'STORED')
    })
    for (const id of ids) assert.equal(asked.filter((one) => one === `download ${id}`).length, 1)
  })

  test('is waited for by those who ask before it is there', async () => {
    const bytes = randomBytes(1_000)
    const own = await party()
    let release: (() => void) | undefined
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const id = await attachment(own, {
      bytes,
      download: (response) => void held.then(() => response.end(bytes)),
    })
    const { find } = await fetching()
    const both = [1, 2].map(() => find(own.workspaceId, id, new AbortController().signal))
    await until('it is asked for', async () => asked.includes(`download ${id}`))
    release?.()
    for (const found of await Promise.all(both)) assert.equal(found.sha256, sha256(bytes))
    assert.equal((await rowOf(id))['fetchAttempts'], 1)
  })
})

describe('a file that does not come', () => {
  const truncated = (response: ServerResponse) => {
    response.writeHead(200, { 'content-length': 1_000 }).write('half')
    response.destroy()
  }
  const failures: Record<string, Told | undefined> = {
    'the provider does not know': undefined,
    'is another than announced': { bytes: Buffer.from('x'), sha256: sha256(Buffer.from('y')) },
    'breaks off': { bytes: Buffer.from('x'), download: truncated },
    'is gone from its address': {
      bytes: Buffer.from('x'),
      download: (response) => response.writeHead(404).end(),
    },
  }
  for (const [what, told] of Object.entries(failures))
    test(`because it ${what} is tried again soon, and later less often`, async () => {
      const id = await attachment(await party(), told)
      const { fetcher, blobs, lines, unfinished } = await fetching()
      for (const attempts of [1, 2, 3]) {
        await fetcher.fetchNow(id)
        await attempted(id, attempts)
        const { state, dueIn, blobKey } = await rowOf(id)
        assert.deepEqual([state, blobKey], ['PENDING', null])
        assert.ok(dueIn <= 2 ** (attempts - 1), `${dueIn} s after attempt ${attempts}`)
        await sql`update media set fetch_due_at = now() - interval '1 second' where message_id = ${id}`
      }
      assert.equal(lines.filter((line) => line.startsWith('media.postponed')).length, 3)
      assert.equal(await blobs.open(`x/${id}`), undefined)
      assert.deepEqual(await unfinished(), [])
    })

  test('waits a second, then twice as long each time, up to a quarter of an hour', () => {
    assert.deepEqual([1, 2, 3, 10, 11, 500].map(delayAfter), [1_000, 2_000, 4_000, 512_000, 900_000, 900_000])
  })

  test('is LOST after seven days, and NOT_FOUND', async () => {
    const own = await party()
    const createdAt = new Date(Date.now() - 7 * 86_400_000 - 1_000)
    const id = await attachment(own, undefined, { createdAt })
    const { fetcher, find } = await fetching()
    await fetcher.fetchNow(id)
    await attempted(id, 1)
    const { state, dueIn } = await rowOf(id)
    assert.deepEqual([state, dueIn], ['LOST', null])
    await assert.rejects(find(own.workspaceId, id, new AbortController().signal), { code: 'NOT_FOUND' })
  })

  test('because it is larger than any the provider passes on is LOST at once', async () => {
    const tooLong = 100 * 1024 * 1024 + 1
    const download = (response: ServerResponse) =>
      void response.writeHead(200, { 'content-length': tooLong }).write('x')
    const id = await attachment(await party(), { bytes: Buffer.from('x'), download })
    const { fetcher } = await fetching()
    await fetcher.fetchNow(id)
    await attempted(id, 1)
    assert.equal((await rowOf(id))['state'], 'LOST')
  })

  test('is UNAVAILABLE to who asks for it, after a while, with Retry-After', async () => {
    const own = await party()
    const id = await attachment(own, undefined, { fetchDueAt: new Date(Date.now() + 60_000) })
    const clock = new SimulatedClock()
    const { find } = await fetching(clock)
    const { call, keyFor } = gateway(sql, { media: find })
    const key = await keyFor(own.workspaceId, ['MEDIA_READ'])
    const answer = call(key, { path: `/messages/chat/${encodeId('message', id)}/media` })
    let isAnswered = false
    void answer.finally(() => {
      isAnswered = true
    })
    await until('it is answered', async () => {
      await clock.advance(100)
      return isAnswered
    })
    const { status, json, headers } = await answer
    assert.deepEqual([status, json.error.code, headers['retry-after']], [503, 'UNAVAILABLE', '2'])
    assert.ok(clock.mono() - new SimulatedClock().mono() >= 5_000)
  })

  test('is not waited for by a client that has gone', async () => {
    const own = await party()
    const id = await attachment(own, undefined, { fetchDueAt: new Date(Date.now() + 60_000) })
    const { find } = await fetching(new SimulatedClock())
    await assert.rejects(find(own.workspaceId, id, AbortSignal.abort(new Error('gone'))), /gone/)
  })
})

describe('a download that takes long', () => {
  test('stays with its process, and goes to another half a minute after that one died', async () => {
    const bytes = randomBytes(1_000)
    const clock = new SimulatedClock()
    // It waits for the provider until the end of the test.
    const { fetcher } = await fetching(clock, () => ({ provider: providerApi(60_000) }))
    let answer: ServerResponse | undefined
    const download = (response: ServerResponse) => {
      answer = response
    }
    const id = await attachment(await party(), { bytes, download })
    await fetcher.fetchNow(id)
    await until('it is asked for', async () => asked.includes(`download ${id}`))
    await sql`update media set fetch_due_at = now() + interval '1 second' where message_id = ${id}`
    await until('the lease is renewed', async () => {
      await clock.advance(10_000)
      return (await rowOf(id))['dueIn'] > 25
    })
    const other = await fetching()
    await other.fetcher.fetchNow(id)
    assert.equal((await rowOf(id))['fetchAttempts'], 1)
    files.set(id, { bytes })
    // Again, because a renewal that was under way may still have come.
    await until('the other process has it', async () => {
      await sql`update media set fetch_due_at = now() - interval '1 second' where message_id = ${id} and fetch_attempts = 1`
      await other.fetcher.fetchNow(id)
      return (await rowOf(id))['fetchAttempts'] === 2
    })
    await attempted(id, 2)
    assert.equal((await rowOf(id))['state'], 'STORED')
    // The first process notices in the end that nothing came, and changes nothing.
    answer?.destroy()
    await fetcher.drain()
    assert.equal((await rowOf(id))['state'], 'STORED')
  })
})

describe('a process that leaves', () => {
  test('breaks its downloads off and leaves them to the next one at once', async () => {
    const bytes = randomBytes(2_000)
    const id = await attachment(await party(), {
      bytes,
      download(response) {
        response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, 1_000))
        // The rest follows once this process has started to leave.
        void leaving.then(() => response.end(bytes.subarray(1_000)))
      },
    })
    let leave: (() => void) | undefined
    const leaving = new Promise<void>((resolve) => {
      leave = resolve
    })
    const { fetcher, unfinished } = await fetching()
    await fetcher.fetchNow(id)
    await until('the download is under way', async () => (await unfinished()).length === 1)
    const drained = fetcher.drain()
    leave?.()
    await drained
    const { state, dueIn } = await rowOf(id)
    assert.deepEqual([state, dueIn <= 0, await unfinished()], ['PENDING', true, []])
    assert.equal(await fetcher.sweep(), false)
    const next = await fetching()
    await next.fetcher.fetchNow(id)
    await attempted(id, 2)
    assert.equal((await rowOf(id))['state'], 'STORED')
  })
})

test('a file whose message is erased while it is downloaded does not stay', async () => {
  const own = await party()
  const bytes = randomBytes(1_000)
  let release: (() => void) | undefined
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const id = await attachment(own, {
    bytes,
    download: (response) => void held.then(() => response.end(bytes)),
  })
  const { fetcher, blobs, lines } = await fetching()
  await fetcher.fetchNow(id)
  await until('it is asked for', async () => asked.includes(`download ${id}`))
  await deleteFiles(sql, own.workspaceId, { ids: [id], jobId: null })
  release?.()
  await until('it has arrived', async () => lines.length > 0)
  assert.deepEqual(
    lines.map((line) => line.split(' ')[0]),
    ['media.erased'],
  )
  assert.equal(await blobs.open(`${own.workspaceId}/${id}`), undefined)
})

describe('GET /messages/chat/:id/media', () => {
  test('is NOT_FOUND where there is no file, no message, or another workspace', async () => {
    const own = await party()
    const { find } = await fetching()
    const { call, keyFor } = gateway(sql, { media: find })
    const key = await keyFor(own.workspaceId, ['MEDIA_READ'])
    const theirs = await attachment(await party(), { bytes: Buffer.from('x') })
    for (const id of [await message(sql, own), theirs, newId('message')]) {
      const { status, json } = await call(key, { path: `/messages/chat/${encodeId('message', id)}/media` })
      assert.deepEqual([status, json.error.code], [404, 'NOT_FOUND'])
    }
    assert.equal((await rowOf(theirs))['fetchAttempts'], 0)
  })

  test('is INTERNAL where the bytes of a stored file are gone, and says nothing of where they were', async () => {
    const own = await party()
    const id = await attachment(own, { bytes: Buffer.from('x') })
    const { fetcher, find, blobs } = await fetching()
    await fetcher.fetchNow(id)
    await attempted(id, 1)
    await blobs.delete(`${own.workspaceId}/${id}`)
    const { call, keyFor } = gateway(sql, { media: find })
    const path = `/messages/chat/${encodeId('message', id)}/media`
    const { status, json } = await call(await keyFor(own.workspaceId, ['MEDIA_READ']), { path })
    assert.deepEqual([status, json.error.code], [500, 'INTERNAL'])
    assert.doesNotMatch(JSON.stringify(json), /blob/)
  })
})
