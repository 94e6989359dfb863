import assert from 'node:assert/strict'
import { createStoreUpload } from '../../../src/messaging/store-upload.ts'
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
  await assert.rejects(upload(newId('workspace'), null, file), { code: 'PAYLOAD_TOO_LARGE' })
  assert.deepEqual(logged, ['media.upload_not_given_up'])
})
