// Registers the bot as an endpoint of a development start (npm start) and lets the demo number forward its
// calls to it. Elsewhere, an operator does this once in the console.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The content of dev.json, which npm start writes. */
export interface Development {
  readonly apiUrl: string
  readonly apiKey: string
  readonly workspaceId: string
  readonly operator: { readonly email: string; readonly password: string }
  readonly numbers: readonly { readonly id: string; readonly number: string }[]
}

const NAME = 'bot'
const EVENTS = ['call.ringing', 'call.accepted', 'call.status', 'message.received']

export function readDevelopment(dataDir: string): Development {
  const file = join(dataDir, 'dev.json')
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(`set SWITCHBOARD_SECRET, or run npm start first: ${file} cannot be read`, {
      cause: error,
    })
  }
}

/** Creates the endpoint, or changes the URL of the existing one. Returns its signing secret. */
export async function becomeEndpoint(development: Development, url: string): Promise<string> {
  const console = await signIn(development)
  const { data } = await console('GET', '/endpoints')
  const known = data.find(({ name }: { name: string }) => name === NAME)
  const endpoint = known ?? (await console('POST', '/endpoints', { name: NAME, url, events: EVENTS }))
  const [number] = development.numbers
  await console('PATCH', `/numbers/${number?.id}`, { endpointId: endpoint.id, forwardCalls: true })
  if (!known) return endpoint.secret
  await console('PATCH', `/endpoints/${known.id}`, { url, events: EVENTS })
  await console('POST', `/endpoints/${known.id}/enable`)
  return (await console('POST', `/endpoints/${known.id}/rotate`)).secret
}

async function signIn({ apiUrl, workspaceId, operator }: Development) {
  const session = await request(`${apiUrl}/console/api/session`, 'POST', { body: operator })
  const cookie = session.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const workspace = `${apiUrl}/console/api/workspaces/${workspaceId}`
  return async (method: string, path: string, body?: unknown) =>
    (await request(workspace + path, method, { body, cookie })).json
}

async function request(
  url: string,
  method: string,
  { body, cookie = '' }: { body?: unknown; cookie?: string },
) {
  const answer = await fetch(url, {
    method,
    headers: { cookie, ...(body !== undefined && { 'content-type': 'application/json' }) },
    signal: AbortSignal.timeout(10_000),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: JSON of several shapes.
  const json: any = await answer.json()
  if (answer.ok) return { json, headers: answer.headers }
  const hint = json.error.code === 'ADDRESS_NOT_ALLOWED' ? ' (start with WEBHOOK_TARGETS=any npm start)' : ''
  throw new Error(`${method} ${url}: ${json.error.message}${hint}`)
}
