import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { type MediaDownload, MediaTooLargeError } from '../../../../src/contract/provider.ts'
import { MediaDownloadError } from '../../../../src/provider/outgoing/media.ts'
import { describe, test } from '../../../support/harness.ts'
import { account, json, type Rig, withRig } from './rig.ts'

const file = randomBytes(3 * 1024 * 1024)
const digest = createHash('sha256').update(file).digest('hex')
const MEGABYTE = Buffer.alloc(1024 * 1024)

async function open({ api, origin }: Rig): Promise<MediaDownload> {
  const result = await api.downloadMedia(account, `${origin}/media-files/?mid=1&hash=a%2Fb`)
  if (result.type !== 'ok') throw new Error(`${result.type} ${result.error.code}`)
  return result.value
}

async function read(download: MediaDownload): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of download.body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

describe('a file', () => {
  test('is located by its id', async () => {
    const body = {
      url: 'https://media.example/?mid=1',
      mime_type: 'image/png',
      sha256: Buffer.from(digest, 'hex').toString('base64'),
      file_size: '303833',
      id: '1',
    }
    await withRig(json(200, body), async ({ api, seen }) => {
      assert.deepEqual(await api.mediaUrl(account, '700100'), {
        type: 'ok',
        value: { url: body.url, mimeType: 'image/png', sizeBytes: 303_833, sha256: digest },
      })
      assert.equal(seen[0]?.url, '/v24.0/700100?phone_number_id=880000000000001')
    })
  })

  test('is uploaded as a form, whatever its name is', async () => {
    await withRig(json(200, { id: '700200' }), async ({ api, seen }) => {
      const given = { mimeType: 'image/png', fileName: 'é "1"\r\nx: y.png', bytes: file.subarray(0, 70_000) }
      assert.deepEqual(await api.uploadMedia(account, given), {
        type: 'ok',
        value: { providerMediaId: '700200' },
      })
      const [request] = seen
      assert.equal(request?.url, '/v24.0/880000000000001/media')
      const headers = { 'content-type': request?.headers['content-type'] ?? '' }
      const form = await new Response(new Uint8Array(request?.raw ?? []), { headers }).formData()
      assert.deepEqual([form.get('messaging_product'), form.get('type')], ['whatsapp', 'image/png'])
      const part = form.get('file')
      assert.ok(part instanceof File)
      assert.deepEqual([part.name, part.type], ['é "1"\r\nx: y.png', 'image/png'])
      assert.ok(Buffer.from(await part.arrayBuffer()).equals(given.bytes))
    })
  })

  test('streams with the token, and its digest is known at the end', async () => {
    await withRig(
      (_, response) =>
        void response
          .writeHead(200, { 'content-type': 'image/png', 'content-length': file.length })
          .end(file),
      async (rig) => {
        const download = await open(rig)
        assert.deepEqual([download.mimeType, download.sizeBytes], ['image/png', file.length])
        assert.throws(() => download.sha256())
        assert.equal((await read(download)).equals(file), true)
        assert.equal(download.sha256(), digest)
        const [request] = rig.seen
        assert.equal(request?.url, '/media-files/?mid=1&hash=a%2Fb')
        assert.equal(request?.headers.authorization, 'Bearer token-for-tests')
        assert.ok(request?.headers['user-agent'])
      },
    )
  })

  test('that the provider no longer has is refused', async () => {
    const gone = json(404, { error: { code: 100, message: 'expired' } })
    await withRig(gone, async ({ api, origin }) => {
      const result = await api.downloadMedia(account, `${origin}/media-files/`)
      assert.equal(result.type === 'refused' && result.error.code, 'MEDIA_GONE')
    })
  })

  test('asked for with a bad token is refused for the account', async () => {
    await withRig(json(401, { error: { code: 190, message: 'bad token' } }), async ({ api, origin }) => {
      const result = await api.downloadMedia(account, `${origin}/media-files/`)
      assert.equal(result.type === 'refused' && result.error.class, 'account')
    })
  })

  test('larger than the provider passes on is refused by its length', async () => {
    await withRig(
      (_, response) => void response.writeHead(200, { 'content-length': 100 * 1024 * 1024 + 1 }).write('x'),
      async ({ api, origin }) => {
        const result = await api.downloadMedia(account, `${origin}/media-files/`)
        assert.equal(result.type === 'refused' && result.error.code, 'MEDIA_TOO_LARGE')
      },
    )
  })

  test('without a length is cut off where it becomes too large', async () => {
    await withRig(
      (_, response) => {
        response.on('error', () => {})
        const more = () => {
          while (!response.destroyed && response.write(MEGABYTE));
        }
        response.on('drain', more)
        more()
      },
      async (rig) => {
        let size = 0
        const download = await open(rig)
        await assert.rejects(async () => {
          for await (const chunk of download.body) size += chunk.length
        }, MediaTooLargeError)
        assert.ok(size <= 100 * 1024 * 1024)
        assert.throws(() => download.sha256())
      },
    )
  })

  test('that breaks off has no digest', async () => {
    await withRig(
      (_, response) => {
        response.writeHead(200, { 'content-length': file.length })
        response.write(file.subarray(0, 1000), () => response.destroy())
      },
      async (rig) => {
        const download = await open(rig)
        await assert.rejects(read(download), MediaDownloadError)
        assert.throws(() => download.sha256())
      },
    )
  })

  test('that stops coming is given up', async () => {
    await withRig(
      (_, response) => void response.writeHead(200, { 'content-length': 1000 }).write('x'),
      async (rig) => {
        await assert.rejects(read(await open(rig)), MediaDownloadError)
      },
      { timeoutMs: 1_000 },
    )
  })

  test('at an address without encryption, or at none, is never asked for', async () => {
    await withRig(json(200, {}), async ({ api, origin, seen }) => {
      for (const url of [origin.replace('127.0.0.1', 'localhost'), 'ftp://127.0.0.1/', 'no address']) {
        const result = await api.downloadMedia(account, url)
        assert.equal(result.type === 'refused' && result.error.code, 'MEDIA_ADDRESS_NOT_ALLOWED')
      }
      assert.equal(seen.length, 0)
    })
  })

  test('whose server cannot be reached is an answer, not an exception', async () => {
    await withRig(json(200, {}), async ({ api }) => {
      const result = await api.downloadMedia(account, 'https://media.invalid/a')
      assert.equal(result.type, 'unknown')
    })
  })
})
