// Uploads the sample of a template's media header to the provider. Its handle goes into the submission, for the review.
import type { Provider, ProviderAccount } from '../contract/provider.ts'
import { notConnected, providerError } from '../contract/provider-refusal.ts'
import type { WorkspaceId } from '../shared/ids.ts'
import { collected, type MediaUpload } from './upload-media.ts'

export interface UploadedSample {
  /** The value of `example.header_handle` in a submission. */
  readonly handle: string
  readonly sizeBytes: number
}

interface Ports {
  /** Admits an upload, because each one is in memory as a whole. Throws where too many are in progress. */
  readonly enter: (workspaceId: WorkspaceId) => { leave(): void }
  /** Undefined where the workspace is not connected to the provider. */
  readonly account: (workspaceId: WorkspaceId) => Promise<ProviderAccount | undefined>
  readonly provider: Pick<Provider, 'uploadSample'>
}

export type UploadSample = ReturnType<typeof createUploadSample>

export function createUploadSample({ enter, account, provider }: Ports) {
  return async (
    workspaceId: WorkspaceId,
    { mimeType, fileName, pieces }: MediaUpload,
  ): Promise<UploadedSample> => {
    const place = enter(workspaceId)
    try {
      const connected = await account(workspaceId)
      if (!connected) throw notConnected()
      const bytes = await collected(pieces)
      const result = await provider.uploadSample(connected, { mimeType, fileName, bytes })
      if (result.type === 'ok') return { ...result.value, sizeBytes: bytes.byteLength }
      const advice = result.type === 'refused' ? ' (if it does not know the app, set PROVIDER_APP_ID)' : ''
      throw providerError(`the provider did not take the sample${advice}`, result.error)
    } finally {
      place.leave()
    }
  }
}
