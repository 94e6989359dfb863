import { simulatorSettings } from '../../../src/simulator/settings.ts'
import { startSimulator } from '../../../src/simulator/simulator.ts'
import { asList, type Loose, type Seen, startReceiver } from './receiver.ts'

export const NUMBER_ID = '106540352242922'
export const NUMBER = '15550001111'
export const ACCOUNT = '102290129340398'
export const SECRET = 'app-secret-for-tests'
const TOKEN = 'token-for-tests'
const VERIFY_TOKEN = 'verify-for-tests'

export type Reply = Readonly<{ status: number; body: Loose }>

export type Rig = Awaited<ReturnType<typeof startRig>>

/** A simulator and a receiver of its webhooks, both real, on loopback. */
export async function startRig(env: Record<string, string> = {}) {
  const receiver = await startReceiver({ secret: SECRET, verifyToken: VERIFY_TOKEN })
  const simulator = await startSimulator(
    simulatorSettings({
      SIM_PORT: '0',
      SIM_WEBHOOK_URL: receiver.url,
      SIM_APP_SECRET: SECRET,
      SIM_ACCESS_TOKEN: TOKEN,
      SIM_VERIFY_TOKEN: VERIFY_TOKEN,
      LOG_LEVEL: 'error',
      ...env,
    }),
  )
  const request = async (method: string, path: string, body?: unknown, token = TOKEN): Promise<Reply> => {
    const answer = await fetch(simulator.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, body: (await answer.json()) as Loose }
  }
  const matching = (kind: Seen['kind'], fields: Loose): Seen[] =>
    receiver.seen.filter(
      (seen) =>
        seen.kind === kind && Object.entries(fields).every(([name, value]) => seen.update[name] === value),
    )
  return {
    url: simulator.url,
    receiver,
    token: TOKEN,
    request,
    matching,
    control: (method: string, path: string, body?: unknown) => request(method, `/sim/${path}`, body),
    provider: (path: string, body: unknown) => request('POST', `/v24.0/${NUMBER_ID}/${path}`, body),
    /** Waits until this many updates with these fields have come. */
    async expect(kind: Seen['kind'], fields: Loose, count = 1): Promise<Seen[]> {
      await receiver.until(
        () => matching(kind, fields).length >= count,
        () =>
          `${kind} ${JSON.stringify(fields)} of ${JSON.stringify(receiver.seen.map(({ update }) => update))}`,
      )
      return matching(kind, fields)
    },
    async close() {
      await simulator.close()
      receiver.close()
    },
  }
}

/** The error code of a refused request. */
export const codeOf = (reply: Reply): unknown => (reply.body['error'] as Loose | undefined)?.['code']

/** The explanation of a refused request. Errors about parameters have it in their message alone. */
export const detailsOf = (reply: Reply): string => {
  const error = reply.body['error'] as Loose | undefined
  return String((error?.['error_data'] as Loose | undefined)?.['details'] ?? error?.['message'])
}

/** The wamid of an accepted message. */
export const wamidOf = (reply: Reply): string => String(asList(reply.body['messages'])[0]?.['id'])

/** The wacid of a placed call. */
export const wacidOf = (reply: Reply): string => String(asList(reply.body['calls'])[0]?.['id'])

/** Uploads a file. Returns its id. */
export async function uploadTo(rig: Rig, type: string, bytes = 'bytes'): Promise<string> {
  const form = new FormData()
  form.set('messaging_product', 'whatsapp')
  form.set('file', new Blob([bytes], { type }), 'file')
  const headers = { authorization: `Bearer ${rig.token}` }
  const answer = await fetch(`${rig.url}/v24.0/${NUMBER_ID}/media`, { method: 'POST', headers, body: form })
  return ((await answer.json()) as { id: string }).id
}

export const templateTo = (to: string, extra: Loose = {}): Loose => ({
  messaging_product: 'whatsapp',
  to,
  type: 'template',
  template: { name: 'hello_world', language: { code: 'en_US' } },
  ...extra,
})

export const sdpOf = ({ update }: Seen): string => String((update['session'] as Loose)['sdp'])

const FINGERPRINT = Array.from({ length: 32 }, () => 'AB').join(':')

/** A session description that the simulator accepts. */
export const sdp = (setup: string, pwd = 'a'.repeat(22)): string =>
  [
    'v=0',
    'o=- 1 2 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'm=audio 9 UDP/TLS/RTP/SAVPF 111',
    'c=IN IP4 127.0.0.1',
    'a=ice-ufrag:abcd',
    `a=ice-pwd:${pwd}`,
    `a=fingerprint:sha-256 ${FINGERPRINT}`,
    `a=setup:${setup}`,
    'a=mid:0',
    'a=rtpmap:111 opus/48000/2',
    '',
  ].join('\r\n')
