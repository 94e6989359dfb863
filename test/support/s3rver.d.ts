// Types for the part of a package without types that the tests use.
declare module '@20minutes/s3rver' {
  import type { Readable } from 'node:stream'

  // biome-ignore lint/style/noDefaultExport: it is the package's only one.
  export default class S3rver {
    constructor(options: {
      address: string
      port: number
      silent: boolean
      directory: string
      configureBuckets: { name: string; configs: never[] }[]
    })
    readonly store: {
      getObject(bucket: string, key: string, range?: { start: number; end: number }): Promise<unknown>
      putContent(path: string, content: Readable | Buffer): Promise<[sizeBytes: number, md5: string]>
    }
    run(): Promise<{ address: string; port: number }>
    close(): Promise<void>
  }
}
