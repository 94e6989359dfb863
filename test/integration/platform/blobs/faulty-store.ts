// An object store that fails as the test says, and the real adapter in front of it.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { BlobStoreError } from '../../../../src/contract/blobs.ts'
import { createS3Blobs, type S3Options } from '../../../../src/platform/blobs/s3.ts'
import { ownFolder } from '../../../support/embedded.ts'
import { portOf } from '../../provider/outgoing/rig.ts'

export type Behaviour = (request: IncomingMessage, response: ServerResponse) => void

const credentials = { accessKeyId: 'THE-ACCESS-KEY', secretAccessKey: 'the-secret-access-key' }
/** Deadlines that no loaded machine exceeds, for tests that must not fail by them. */
const patient = { answerMs: 20_000, uploadMs: 20_000, uploadBytesPerMs: 1_000_000, pieceMs: 20_000 }

export async function faultyStore(behaviour: Behaviour, deadlines: Partial<typeof patient> = {}) {
  /** The methods of the requests, in order. */
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(String(request.method))
    behaviour(request, response)
  })
  const spoolDir = await mkdtemp(join(ownFolder(), 'faulty-'))
  const options: S3Options = {
    endpoint: `http://127.0.0.1:${await portOf(server)}`,
    bucket: 'media',
    region: 'us-east-1',
    ...credentials,
    spoolDir,
    deadlines: { ...patient, ...deadlines },
  }
  const blobs = createS3Blobs(options)
  return {
    blobs,
    asked,
    stopListening: () => void server.close(),
    async close() {
      await blobs.close()
      server.closeAllConnections()
      server.close()
      assert.deepEqual(await readdir(spoolDir), [], 'something is left in the spool')
    },
  }
}

/** Rejects with a BlobStoreError that has this message and contains no credentials at any depth. */
export const fails = (work: Promise<unknown>, message: RegExp) =>
  assert.rejects(work, (error) => {
    assert.ok(error instanceof BlobStoreError, inspect(error))
    assert.match(error.message, message)
    const all = inspect(error, { depth: null, showHidden: true })
    for (const secret of [...Object.values(credentials), 'Signature=']) assert.ok(!all.includes(secret), all)
    return true
  })

/** Reads the whole request first. */
export const answers =
  (status: number, body = ''): Behaviour =>
  (request, response) =>
    void request.resume().on('end', () => response.writeHead(status).end(body))

export const refuses = (status: number, code: string): Behaviour =>
  answers(status, `<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`)

export async function digestOf(request: IncomingMessage): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of request) hash.update(chunk as Buffer)
  return hash.digest('hex')
}
