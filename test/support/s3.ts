// An S3-compatible server with one bucket, which verifies signatures.
import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'
import type { S3Options } from '../../src/platform/blobs/s3.ts'
import { lastingPort } from '../e2e/processes.ts'
import { ownFolder } from './embedded.ts'

/** The only key that the server knows. */
const credentials = { region: 'us-east-1', accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
const bucket = 'media'

export interface TestS3 {
  readonly access: Omit<S3Options, 'spoolDir'>
  /** The object keys in its bucket. */
  keys(): Promise<string[]>
  stop(): Promise<void>
  /** Starts again after a stop, on the same port and with the same data. */
  start(): Promise<void>
}

export async function testS3(): Promise<TestS3> {
  const directory = mkdtempSync(join(ownFolder(), 's3-'))
  const port = await lastingPort()
  let server = await serve(directory, port)
  return {
    access: { ...credentials, bucket, endpoint: `http://127.0.0.1:${port}` },
    async keys() {
      const names = await readdir(join(directory, bucket), { recursive: true })
      const object = '._S3rver_object'
      return names.filter((name) => name.endsWith(object)).map((name) => name.slice(0, -object.length))
    },
    stop: () => server.close(),
    async start() {
      server = await serve(directory, port)
    },
  }
}

async function serve(directory: string, port: number): Promise<S3rver> {
  const server = new S3rver({
    address: '127.0.0.1',
    port,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket, configs: [] }],
  })
  correct(server.store)
  await server.run()
  return server
}

/** Corrects two differences between S3 and this server. */
function correct(store: S3rver['store']): void {
  const [write, read] = [store.putContent.bind(store), store.getObject.bind(store)]
  // S3 replaces an object atomically. This server would write into it, even for two writers at once.
  store.putContent = async (path, content) => {
    const draft = `${path}.${randomUUID()}`
    const written = await write(draft, content)
    await rename(draft, path)
    return written
  }
  // A range may end with byte 0. This server takes a plain 0 for no end, but not a Number object.
  store.getObject = (name, key, range) =>
    read(name, key, range?.end === 0 ? { ...range, end: Object(0) as number } : range)
}
