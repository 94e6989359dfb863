// A provider on loopback that has files, and the real adapter in front of it.
import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { CloudApi } from '../../../src/provider/outgoing/cloud-api.ts'
import { adapter, portOf } from '../provider/outgoing/rig.ts'

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

export interface Told {
  readonly bytes: Buffer
  /** In the provider's answer about the file; default: the true digest. */
  readonly sha256?: string
  /** Sends the answer in place of the bytes. */
  readonly download?: (response: ServerResponse) => void
}

const json = (response: ServerResponse, status: number, body: unknown) =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

export function mediaProvider() {
  /** The files that the provider has, by id; other ids get its error 100. */
  const files = new Map<string, Told>()
  /** `locate <id>` and `download <id>`, in order. */
  const asked: string[] = []
  let origin = ''
  const apis: CloudApi[] = []
  const server = createServer(({ url = '' }, response) => {
    const [, id = ''] = /([\w-]+)(\?.*)?$/.exec(url) ?? []
    const told = files.get(id)
    const isDownload = url.startsWith('/files/')
    asked.push(`${isDownload ? 'download' : 'locate'} ${id}`)
    if (!told) return json(response, 400, { error: { code: 100, message: 'no such object' } })
    if (!isDownload)
      return json(response, 200, { url: `${origin}/files/${id}`, sha256: told.sha256 ?? sha256(told.bytes) })
    if (told.download) return void told.download(response)
    response.writeHead(200, { 'content-length': told.bytes.length }).end(told.bytes)
  })
  return {
    files,
    asked,
    api(timeoutMs = 2_000): CloudApi {
      const { api } = adapter(origin, { timeoutMs })
      apis.push(api)
      return api
    },
    async start(): Promise<void> {
      origin = `http://127.0.0.1:${await portOf(server)}`
    },
    async close(): Promise<void> {
      server.closeAllConnections()
      await Promise.all(apis.map((api) => api.close()))
      server.close()
    },
  }
}
