// A provider on loopback that answers as the test says, and the real adapter in front of it.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Server as NetServer } from 'node:net'
import { pino } from 'pino'
import type { ProviderAccount } from '../../../../src/contract/provider.ts'
import type { ProviderRequestRecord } from '../../../../src/provider/outgoing/ask.ts'
import { type CloudApi, createCloudApi } from '../../../../src/provider/outgoing/cloud-api.ts'

export const account: ProviderAccount = {
  workspaceId: 'workspace-1',
  phoneNumberId: '880000000000001',
  wabaId: '770000000000001',
  accessToken: 'token-for-tests',
}

export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
  readonly raw: Buffer
}

type Answer = (request: Seen, response: ServerResponse) => void

export interface Rig {
  readonly api: CloudApi
  readonly origin: string
  readonly seen: Seen[]
  readonly records: ProviderRequestRecord[]
  readonly lines: string[]
  close(): Promise<void>
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body))

export const accepted: Answer = json(200, {
  messaging_product: 'whatsapp',
  messages: [{ id: 'wamid.A1', message_status: 'accepted' }],
})

export async function portOf(server: NetServer): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

export interface ApiOptions {
  readonly timeoutMs?: number
  readonly connections?: number
}

/** The adapter alone, for any server at this address. */
export function adapter(baseUrl: string, { timeoutMs = 5_000, connections = 4 }: ApiOptions = {}) {
  const records: ProviderRequestRecord[] = []
  const lines: string[] = []
  const api = createCloudApi({
    baseUrl,
    version: 'v24.0',
    timeoutMs,
    connections,
    log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
    observe: (record) => records.push(record),
  })
  return { api, records, lines }
}

async function startRig(answer: Answer, options: ApiOptions = {}): Promise<Rig> {
  const seen: Seen[] = []
  const server = createServer((request, response) => void take(request, response))
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const raw = Buffer.concat(chunks)
    const { method = '', url = '', headers } = request
    const isJson = headers['content-type'] === 'application/json'
    const one = { method, url, headers, raw, body: isJson ? JSON.parse(raw.toString()) : undefined }
    seen.push(one)
    answer(one, response)
  }
  const origin = `http://127.0.0.1:${await portOf(server)}`
  const { api, records, lines } = adapter(origin, options)
  return {
    api,
    origin,
    seen,
    records,
    lines,
    async close() {
      server.closeAllConnections()
      await api.close()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Runs with a new rig, and closes everything afterwards. */
export async function withRig(
  answer: Answer,
  run: (rig: Rig) => Promise<void>,
  options: ApiOptions = {},
): Promise<void> {
  const rig = await startRig(answer, options)
  try {
    await run(rig)
  } finally {
    await rig.close()
  }
}
