import assert from 'node:assert/strict'
import { mkdtemp, readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFileBlobs } from '../../../src/platform/blobs/files.ts'
import { clearSpool } from '../../../src/platform/blobs/spool.ts'
import { ownFolder } from '../../support/embedded.ts'
import { test } from '../../support/harness.ts'
import { blobStoreSuite } from './suite.ts'

async function folders() {
  const dir = await mkdtemp(join(ownFolder(), 'blobs-'))
  return { root: join(dir, 'blobs'), spoolDir: join(dir, 'unfinished') }
}

const namesIn = (dir: string) => readdir(dir).catch(() => [])

blobStoreSuite('files', async () => {
  const { root, spoolDir } = await folders()
  const leftovers = async () => (await namesIn(spoolDir)).length
  return { blobs: createFileBlobs({ root, spoolDir }), leftovers }
})

test('a file that a crash left half-written goes when it is old, and not before', async () => {
  const { spoolDir, root } = await folders()
  assert.equal(await clearSpool(spoolDir, 0), 0)
  await createFileBlobs({ root, spoolDir }).put('a', (async function* () {})(), {
    limitBytes: 1,
    sha256: null,
  })
  const [old, young] = [join(spoolDir, 'old'), join(spoolDir, 'young')]
  await Promise.all([writeFile(old, 'x'), writeFile(young, 'x')])
  const longAgo = new Date(Date.now() - 3_700_000)
  await utimes(old, longAgo, longAgo)
  assert.equal(await clearSpool(spoolDir, 3_600_000), 1)
  assert.deepEqual(await namesIn(spoolDir), ['young'])
})
