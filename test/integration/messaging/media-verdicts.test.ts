// How fetching a file ends, where a part behaves as it seldom does.
import assert from 'node:assert/strict'
import {
  type MediaDownload,
  MediaTooLargeError,
  type ProviderResult,
} from '../../../src/contract/provider.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { test } from '../../support/harness.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'
import { attachment, attempted, fetching, party, rowOf, until } from './media-world.ts'

function gate() {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

const tooLargeOnItsWay: ProviderResult<MediaDownload> = {
  type: 'ok',
  value: {
    ...{ mimeType: 'image/png', sizeBytes: null, sha256: () => '' },
    body: (async function* () {
      yield Buffer.from('x')
      throw new MediaTooLargeError('the file is too large')
    })(),
  },
}

test('a file that turns out to be too large on its way is LOST at once', async () => {
  const id = await attachment(await party(), { bytes: Buffer.from('x') })
  const { fetcher, unfinished } = await fetching(systemClock, ({ provider }) => ({
    provider: { mediaUrl: provider.mediaUrl, downloadMedia: async () => tooLargeOnItsWay },
  }))
  await fetcher.fetchNow(id)
  await attempted(id, 1)
  assert.deepEqual([(await rowOf(id))['state'], await unfinished()], ['LOST', []])
})

test('a download that fails while its lease is renewed waits for its delay, and not for the lease', async () => {
  const clock = new SimulatedClock()
  const steps: string[] = []
  let isDownloading = false
  const keeping = gate()
  const failing = gate()
  const { fetcher } = await fetching(clock, ({ store, blobs }) => ({
    store: {
      ...store,
      async keep(job) {
        steps.push('renewal')
        await keeping.opened
        await store.keep(job)
        steps.push('renewed')
      },
      async postpone(...given) {
        steps.push('postponed')
        await store.postpone(...given)
      },
    },
    blobs: {
      ...blobs,
      async put() {
        isDownloading = true
        await failing.opened
        throw new Error('the connection broke')
      },
    },
  }))
  const id = await attachment(await party(), { bytes: Buffer.from('x') })
  await fetcher.fetchNow(id)
  await until('the lease is being renewed', async () => {
    await clock.advance(10_000)
    return isDownloading && steps.length > 0
  })
  failing.open()
  // Whatever follows from the failure alone has followed by then.
  await new Promise(setImmediate)
  keeping.open()
  await attempted(id, 1)
  assert.equal(steps.indexOf('postponed'), steps.length - 1, steps.join(', '))
  assert.ok((await rowOf(id))['dueIn'] <= 1)
})
