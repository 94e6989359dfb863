// Uploads the sample of a template's header: the provider's resumable upload, which answers a handle.
import * as v from 'valibot'
import type { Provider, ProviderAccount, ProviderResult, SampleFile } from '../../contract/provider.ts'
import type { Ask } from './ask.ts'

/** How often an upload goes on after its connection broke. */
const MOST_RESUMPTIONS = 3

/** The session id may end in a query, which signs it: `upload:MTph...?sig=ARZ...`. */
const Session = v.pipe(
  v.object({ id: v.pipe(v.string(), v.regex(/^upload:[^\s?]{1,2000}(\?[^\s]{1,2000})?$/)) }),
  v.transform(({ id }) => {
    const [node = '', query] = id.split('?', 2)
    return {
      path: [node],
      ...(query !== undefined && { query: Object.fromEntries(new URLSearchParams(query)) }),
    }
  }),
)
type Session = v.InferOutput<typeof Session>

const Handle = v.pipe(
  v.object({ h: v.pipe(v.string(), v.nonEmpty()) }),
  v.transform(({ h }) => ({ handle: h })),
)

const Position = v.pipe(
  v.object({ file_offset: v.pipe(v.union([v.number(), v.string()]), v.transform(Number), v.safeInteger()) }),
  v.transform((given) => given.file_offset),
)

/** `appId`: the app that the upload belongs to; the provider takes `app` for the app of the token. */
export function sampleOperations(ask: Ask, appId: string): Pick<Provider, 'uploadSample'> {
  const start = (account: ProviderAccount, file: SampleFile) =>
    ask(account, {
      operation: 'sample.start',
      pool: 'messages',
      method: 'POST',
      path: [appId, 'uploads'],
      query: {
        file_name: file.fileName,
        file_length: String(file.bytes.byteLength),
        file_type: file.mimeType,
      },
      schema: Session,
    })

  const authorization = ({ accessToken }: ProviderAccount) => ({ authorization: `OAuth ${accessToken}` })

  const push = (account: ProviderAccount, session: Session, { bytes, offset }: Rest) => {
    const body = Buffer.from(bytes).subarray(offset)
    return ask(account, {
      operation: 'sample.upload',
      pool: 'messages',
      method: 'POST',
      ...session,
      headers: { ...authorization(account), file_offset: String(offset) },
      form: { contentType: 'application/octet-stream', length: body.length, body },
      schema: Handle,
    })
  }

  const position = (account: ProviderAccount, session: Session) =>
    ask(account, {
      operation: 'sample.position',
      pool: 'messages',
      method: 'GET',
      ...session,
      headers: authorization(account),
      schema: Position,
    })

  return {
    async uploadSample(account, file) {
      const session = await start(account, file)
      if (session.type !== 'ok') return session
      let offset = 0
      let result: ProviderResult<{ readonly handle: string }>
      for (let resumed = 0; ; resumed += 1) {
        result = await push(account, session.value, { bytes: file.bytes, offset })
        if (result.type !== 'unknown' || resumed >= MOST_RESUMPTIONS) return result
        const reached = await position(account, session.value)
        if (reached.type !== 'ok' || reached.value < 0 || reached.value > file.bytes.byteLength) return result
        offset = reached.value
      }
    },
  }
}

interface Rest {
  readonly bytes: Uint8Array
  readonly offset: number
}
