import assert from 'node:assert/strict'
import { createStoreUpload } from '../../../src/messaging/store-upload.ts'
import { uploadPlaces } from '../../../src/platform/http/upload-places.ts'
import { newId } from '../../../src/shared/ids.ts'
import { test } from '../../support/harness.ts'

const unreachable = () => assert.fail('the file was refused')

test('an upload that is refused says why, also where Postgres is gone before its file is given up', async () => {
  const logged: string[] = []
  const upload = createStoreUpload({
    store: {
      sender: async (workspaceId) => ({
        numberId: newId('number'),
        account: { workspaceId, phoneNumberId: '1', wabaId: '2', accessToken: 't' },
      }),
      begin: async () => undefined,
      abandon: async () => {
        throw new Error('connection refused')
      },
      keep: unreachable,
    },
    blobs: { put: async () => ({ type: 'tooLarge' }), open: unreachable },
    provider: { uploadMedia: unreachable },
    enter: () => ({ leave: () => undefined }),
    clock: { now: () => 0 },
    log: { warn: (_, event) => logged.push(event) },
  })
  const file = { mimeType: 'image/png', fileName: 'a.png', pieces: (async function* () {})() }
  await assert.rejects(
    upload(newId('workspace'), null, () => file),
    { code: 'PAYLOAD_TOO_LARGE' },
  )
  assert.deepEqual(logged, ['media.upload_not_given_up'])
})

test('an upload without an access token says so, and begins nothing', async () => {
  const upload = createStoreUpload({
    store: {
      sender: async () => ({ numberId: newId('number'), account: null }),
      ...{ begin: unreachable, abandon: unreachable, keep: unreachable },
    },
    blobs: { put: unreachable, open: unreachable },
    provider: { uploadMedia: unreachable },
    enter: () => ({ leave: () => undefined }),
    clock: { now: () => 0 },
    log: { warn: unreachable },
  })
  const file = { mimeType: 'image/png', fileName: 'a.png', pieces: (async function* () {})() }
  await assert.rejects(
    upload(newId('workspace'), null, () => file),
    { code: 'NO_SENDER_NUMBER', message: /access token/ },
  )
})

test('an upload that is not admitted is not opened, and one that cannot be opened leaves its place', async () => {
  const enter = uploadPlaces({ perWorkspace: 1, all: 1 })
  let breakOff: (reason: Error) => void = unreachable
  const slow = new Promise<never>((_, reject) => {
    breakOff = reject
  })
  const upload = createStoreUpload({
    store: { sender: unreachable, begin: unreachable, abandon: unreachable, keep: unreachable },
    blobs: { put: unreachable, open: unreachable },
    provider: { uploadMedia: unreachable },
    enter,
    clock: { now: () => 0 },
    log: { warn: unreachable },
  })
  const first = upload(newId('workspace'), null, () => slow)
  await assert.rejects(upload(newId('workspace'), null, unreachable), { code: 'OVERLOADED' })
  breakOff(new Error('the form ends early'))
  await assert.rejects(first, /ends early/)
  enter(newId('workspace')).leave()
})
