// Uploads one file as it is, and gives what the server says of it.
import { ApiError, inNameOf, inWorkspace, lasting, unreachable } from './api.ts'
import { limitSilence } from './time-limit.ts'

interface Options {
  readonly query?: Readonly<Record<string, string>>
  /** Told the share that was sent, from 0 to 1. */
  readonly onProgress?: (share: number) => void
}

/** `path` is in the current workspace. */
export async function uploadFile<Body>(
  path: string,
  file: File,
  { query, onProgress }: Options = {},
): Promise<Body> {
  const full = inWorkspace(path, { ...query, fileName: file.name })
  const answer = await lasting(full, () => sent(full, file, onProgress))
  return (await answer.json()) as Body
}

/** Also the time in which the server hands a file on: to the provider, for one. */
const QUIET_MS = 120_000

/** By XMLHttpRequest, because fetch tells nothing of how far an upload is. */
const sent = (path: string, file: File, onProgress: Options['onProgress']): Promise<Response> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', `/console/api${path}`)
    request.setRequestHeader('content-type', file.type)
    for (const [name, value] of Object.entries(inNameOf(path))) request.setRequestHeader(name, value)
    const limit = limitSilence(QUIET_MS, () => request.abort())
    request.upload.onprogress = ({ loaded, total }) => {
      limit.putOff()
      onProgress?.(total === 0 ? 0 : loaded / total)
    }
    request.onerror = () => reject(unreachable())
    request.onabort = () => reject(unreachable())
    request.onloadend = () => limit.lift()
    request.onload = () => {
      const { status, responseText } = request
      const headers = new Headers()
      for (const name of ['retry-after', 'x-request-id']) {
        const value = request.getResponseHeader(name)
        if (value !== null) headers.set(name, value)
      }
      resolve(new Response(responseText, { status, headers }))
    }
    request.send(file)
  })

const mostBytes = 16 * 1024 * 1024

/** The same where the server takes at most 16 MiB: it would close the connection in the middle of the upload. */
export async function uploadSmallFile<Body>(
  path: string,
  file: File,
  query: Readonly<Record<string, string>> = {},
): Promise<Body> {
  if (file.size > mostBytes)
    throw new ApiError({
      status: 413,
      code: 'PAYLOAD_TOO_LARGE',
      message: `${file.name} is larger than 16 MiB.`,
    })
  return uploadFile<Body>(path, file, { query })
}
