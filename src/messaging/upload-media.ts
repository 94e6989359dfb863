// Uploads a file for a template's header to the provider, which returns an id. Does not store the file.
import { AppError } from '../contract/errors.ts'
import type { Provider, ProviderAccount } from '../contract/provider.ts'
import { noTokenToSend, providerError } from '../contract/provider-refusal.ts'
import type { NumberId, WorkspaceId } from '../shared/ids.ts'

export interface MediaUpload {
  readonly mimeType: string
  readonly fileName: string
  /** The caller limits its length. */
  readonly pieces: AsyncIterable<Uint8Array>
}

export interface UploadedMedia {
  /** The provider's id: the header variable's value. Valid for 30 days and for sends from the same number. */
  readonly id: string
  readonly sizeBytes: number
}

/**
 * The account of the number, or of the default number where `numberId` is null. Undefined: no such number.
 * Null: neither the workspace nor the process has a token.
 */
export type SenderAccounts = (
  workspaceId: WorkspaceId,
  numberId: NumberId | null,
) => Promise<ProviderAccount | null | undefined>

interface Ports {
  /** Admits an upload, because each one is in memory as a whole. Throws where too many are in progress. */
  readonly enter: (workspaceId: WorkspaceId) => { leave(): void }
  readonly account: SenderAccounts
  readonly provider: Pick<Provider, 'uploadMedia'>
}

export type UploadMedia = ReturnType<typeof createUploadMedia>

export function createUploadMedia({ enter, account, provider }: Ports) {
  return async (
    workspaceId: WorkspaceId,
    numberId: NumberId | null,
    { mimeType, fileName, pieces }: MediaUpload,
  ): Promise<UploadedMedia> => {
    const place = enter(workspaceId)
    try {
      const sender = await account(workspaceId, numberId)
      if (sender === undefined)
        throw new AppError('NO_SENDER_NUMBER', 'the workspace has no such number to send from')
      if (sender === null) throw noTokenToSend()
      const bytes = await collected(pieces)
      const result = await provider.uploadMedia(sender, { mimeType, fileName, bytes })
      if (result.type === 'ok') return { id: result.value.providerMediaId, sizeBytes: bytes.byteLength }
      throw providerError('the provider did not take the file', result.error)
    } finally {
      place.leave()
    }
  }
}

/** The whole file. Throws where it is empty. */
export async function collected(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const piece of pieces) parts.push(piece)
  const bytes = Buffer.concat(parts)
  if (bytes.byteLength === 0) throw emptyFile()
  return bytes
}

/** Its path is that of a form without a file. */
export const emptyFile = (): AppError =>
  new AppError('VALIDATION_ERROR', 'the file is empty; send one that has contents', {
    details: [{ path: 'file', message: 'must not be empty' }],
  })
