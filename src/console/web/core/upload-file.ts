// Uploads one file as it is, and gives what the server says of it.
import { ApiError, askRaw, inWorkspace } from './api.ts'

/** `path` is in the current workspace. */
export async function uploadFile<Body>(
  path: string,
  file: File,
  query: Readonly<Record<string, string>> = {},
): Promise<Body> {
  const answer = await askRaw(inWorkspace(path, { ...query, fileName: file.name }), {
    method: 'POST',
    headers: { 'content-type': file.type },
    body: file,
  })
  return (await answer.json()) as Body
}

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
  return uploadFile<Body>(path, file, query)
}
