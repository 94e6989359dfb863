// What happens to an upload, a lookup and a read when the object store fails.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { BlobStore, ByteRange } from '../../../../src/contract/blobs.ts'
import { describe, test } from '../../../support/harness.ts'
import { answers, type Behaviour, digestOf, fails, faultyStore, refuses } from './faulty-store.ts'

const any = { limitBytes: 10_000_000, sha256: null }
const bytes = randomBytes(3_000_000)

async function* file(): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function readAll(blobs: BlobStore, range?: ByteRange): Promise<number> {
  const blob = await blobs.open('a', range)
  assert.ok(blob)
  let sizeBytes = 0
  for await (const chunk of blob.body) sizeBytes += chunk.byteLength
  return sizeBytes
}

async function withStore(
  [behaviour, deadlines]: Parameters<typeof faultyStore>,
  work: (store: Awaited<ReturnType<typeof faultyStore>>) => Promise<unknown>,
): Promise<void> {
  const store = await faultyStore(behaviour, deadlines)
  await work(store).finally(() => store.close())
}

/** Answers a HEAD with a length of a thousand bytes; `get` answers the GET after it. */
const promises =
  (get: Behaviour): Behaviour =>
  (request, response) => {
    if (request.method === 'HEAD') response.writeHead(200, { 'content-length': 1_000 }).end()
    else get(request, response)
  }

describe('an object store that', () => {
  test('refuses is asked once, and its own word for it is in the error', () =>
    withStore([refuses(403, 'AccessDenied')], async ({ blobs, asked }) => {
      await fails(blobs.put('a', file(), any), /^the object store answered 403 AccessDenied to PUT$/)
      await fails(blobs.open('a'), /^the object store answered 403 to HEAD$/)
      await fails(blobs.delete('a'), /^the object store answered 403 AccessDenied to DELETE$/)
      assert.deepEqual(asked, ['PUT', 'HEAD', 'DELETE'])
    }))

  test('fails is asked three times', () =>
    withStore([refuses(500, 'InternalError')], async ({ blobs, asked }) => {
      await fails(blobs.put('a', file(), any), /answered 500 InternalError to PUT$/)
      await fails(blobs.open('a'), /answered 500 to HEAD$/)
      assert.deepEqual(asked, ['PUT', 'PUT', 'PUT', 'HEAD', 'HEAD', 'HEAD'])
    }))

  test('fails once has the whole file with the second try', async () => {
    const digests: string[] = []
    const once: Behaviour = (request, response) =>
      void digestOf(request).then((digest) => {
        digests.push(digest)
        response.writeHead(digests.length === 1 ? 503 : 200).end()
      })
    await withStore([once], async ({ blobs }) => {
      const put = await blobs.put('a', file(), any)
      assert.equal(put.type, 'stored')
      const { sha256 } = put as Extract<typeof put, { type: 'stored' }>
      assert.deepEqual(digests, [sha256, sha256])
    })
  })

  test('hangs up is asked again, and then named by what went wrong', () =>
    withStore([(request) => request.socket.destroy()], async ({ blobs, asked }) => {
      await fails(blobs.open('a'), /^the object store did not answer HEAD: (UND_ERR_SOCKET|ECONNRESET)$/)
      await fails(blobs.put('a', file(), any), /did not answer PUT: (UND_ERR_SOCKET|ECONNRESET|EPIPE)$/)
      assert.deepEqual(asked, ['HEAD', 'HEAD', 'HEAD', 'PUT', 'PUT', 'PUT'])
    }))

  test('is not there is an error, and not an absent blob', async () => {
    const gone = await faultyStore(answers(200))
    await gone.close()
    await fails(gone.blobs.open('a'), /did not answer HEAD: UND_ERR_DESTROYED$/)
    const unreachable = await faultyStore(answers(200))
    unreachable.stopListening()
    await fails(unreachable.blobs.open('a'), /did not answer HEAD: ECONNREFUSED$/)
    await unreachable.close()
  })

  test('never answers is given up, and asked once', () =>
    withStore([() => {}, { answerMs: 1_000, uploadMs: 1_000 }], async ({ blobs, asked }) => {
      await Promise.all([
        fails(blobs.open('a'), /^the object store took too long to answer HEAD$/),
        fails(blobs.delete('a'), /took too long to answer DELETE$/),
        fails(blobs.put('a', file(), any), /took too long to answer PUT$/),
      ])
      assert.deepEqual(asked.toSorted(), ['DELETE', 'HEAD', 'PUT'])
    }))

  test('takes long has longer for a larger upload', () => {
    const slow: Behaviour = (request, response) => void setTimeout(() => answers(200)(request, response), 500)
    return withStore([slow, { uploadMs: 50, uploadBytesPerMs: 150 }], async ({ blobs }) => {
      await blobs.put('a', file(), any)
    })
  })

  test('stops taking an upload is given up before the time for all of it is over', () =>
    withStore([() => {}, { pieceMs: 300 }], ({ blobs }) =>
      fails(blobs.put('a', file(), any), /did not answer PUT: UND_ERR_HEADERS_TIMEOUT$/),
    ))

  test('never answers does not hold up who leaves, nor the end of the process', () =>
    withStore([() => {}], async ({ blobs }) => {
      const leaving = new AbortController()
      const reason = new Error('leaving')
      const put = blobs.put('a', file(), { ...any, signal: leaving.signal })
      setTimeout(() => leaving.abort(reason), 50)
      await assert.rejects(put, (error) => error === reason)
      const other = fails(blobs.put('a', file(), any), /did not answer PUT: UND_ERR_DESTROYED$/)
      setTimeout(() => void blobs.close(), 50)
      await other
    }))

  test('talks without end of an error is not listened to', () => {
    const endless: Behaviour = (_, response) => {
      response.writeHead(400)
      const talk = () => response.write('x'.repeat(10_000), (error) => error ?? setImmediate(talk))
      talk()
    }
    return withStore([endless], ({ blobs }) => fails(blobs.delete('a'), /answered 400 to DELETE$/))
  })

  test('does not say how long an object is, is not believed', () =>
    withStore([(_, response) => void response.writeHead(200).end()], ({ blobs }) =>
      fails(blobs.open('a'), /names no length$/),
    ))
})

interface Case {
  readonly get: Behaviour
  readonly message: RegExp
  readonly range?: ByteRange
  readonly deadlines?: { readonly pieceMs: number }
}

describe('a read that', () => {
  const cases: Readonly<Record<string, Case>> = {
    'breaks off': {
      get: (_, response) => {
        response.writeHead(200, { 'content-length': 1_000 })
        response.write('x'.repeat(500), () => response.destroy())
      },
      message: /^the object store broke off in the middle of an object$/,
    },
    'falls silent': {
      get: (_, response) => void response.writeHead(200, { 'content-length': 1_000 }).write('x'.repeat(500)),
      message: /broke off in the middle/,
      deadlines: { pieceMs: 2_000 },
    },
    'is shorter than the object': {
      get: answers(200, 'x'.repeat(999)),
      message: /gave an object of another length$/,
    },
    'is longer than the object': { get: answers(200, 'x'.repeat(1_001)), message: /another length$/ },
    'gives the whole where a part was asked for': {
      get: answers(200, 'x'.repeat(1_000)),
      message: /answered 200 to GET$/,
      range: { start: 10, end: 19 },
    },
    'gives another part': {
      get: answers(206, 'x'.repeat(9)),
      message: /another length$/,
      range: { start: 10, end: 19 },
    },
    'finds it gone': { get: refuses(404, 'NoSuchKey'), message: /answered 404 NoSuchKey to GET$/ },
  }
  for (const [what, { get, message, range, deadlines }] of Object.entries(cases))
    test(`${what} is an error of its reader`, () =>
      withStore([promises(get), deadlines], ({ blobs }) => fails(readAll(blobs, range), message)))

  test('fails once before it begins is asked again', async () => {
    let gets = 0
    const get: Behaviour = (request, response) => {
      gets += 1
      answers(gets === 1 ? 500 : 200, 'x'.repeat(1_000))(request, response)
    }
    await withStore([promises(get)], async ({ blobs }) => assert.equal(await readAll(blobs), 1_000))
  })
})

test('deleting what is not there is the same, unless the bucket is not there either', async () => {
  await withStore([refuses(404, 'NoSuchKey')], ({ blobs }) => blobs.delete('a'))
  await withStore([refuses(404, 'NoSuchBucket')], ({ blobs }) =>
    fails(blobs.delete('a'), /answered 404 NoSuchBucket to DELETE$/),
  )
})
