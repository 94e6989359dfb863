// POST /media: keeps a file, and passes it on to the provider, so that messages can be sent with it.
import type { BlobStore, PutResult } from '../contract/blobs.ts'
import { AppError } from '../contract/errors.ts'
import type { Provider, ProviderAccount } from '../contract/provider.ts'
import { noTokenToSend, providerError } from '../contract/provider-refusal.ts'
import type { UploadRecord } from '../contract/records/upload.ts'
import type { Clock } from '../shared/clock.ts'
import { encodeId, type NumberId, newId, type WorkspaceId } from '../shared/ids.ts'
import type { Log } from '../shared/log.ts'
import { noSender, type SendInput } from './check-send.ts'
import type { StoredUpload } from './free-form-content.ts'
import { uploadLimit, uploadTypes } from './media-kinds.ts'
import { emptyFile } from './upload-media.ts'

export interface UploadFile {
  readonly mimeType: string
  readonly fileName: string
  readonly pieces: AsyncIterable<Uint8Array>
}

export interface UploadStore {
  /** Undefined: no such number. Null as account: no token to send with. */
  sender(
    workspaceId: WorkspaceId,
    from: SendInput['from'],
  ): Promise<{ readonly numberId: NumberId; readonly account: ProviderAccount | null } | undefined>
  /** Has the file deleted in a day, unless the upload is kept until then. */
  begin(blobKey: string): Promise<void>
  /** Has the file deleted now. */
  abandon(blobKey: string): Promise<void>
  /** Returns when the file ends: after 30 days, or when the workspace keeps contents no longer. */
  keep(upload: StoredUpload & { readonly createdAt: Date }, workspaceId: WorkspaceId): Promise<Date>
}

export interface StoreUploadPorts {
  readonly store: UploadStore
  readonly blobs: Pick<BlobStore, 'put' | 'open'>
  readonly provider: Pick<Provider, 'uploadMedia'>
  /** Admits an upload. Throws where too many are in progress. */
  readonly enter: (workspaceId: WorkspaceId) => { leave(): void }
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'warn'>
}

/**
 * Throws where the provider does not take the file; then nothing is kept. `open` is called once the upload is admitted:
 * whoever sends slowly waits in a place of uploads.
 */
export type StoreUpload = (
  workspaceId: WorkspaceId,
  from: SendInput['from'],
  open: () => UploadFile | Promise<UploadFile>,
) => Promise<UploadRecord>

export const createStoreUpload =
  (ports: StoreUploadPorts): StoreUpload =>
  async (workspaceId, from, open) => {
    const place = ports.enter(workspaceId)
    try {
      return await store(ports, { workspaceId, from }, await open())
    } finally {
      place.leave()
    }
  }

interface Owner {
  readonly workspaceId: WorkspaceId
  readonly from: SendInput['from']
}

async function store(
  ports: StoreUploadPorts,
  { workspaceId, from }: Owner,
  { mimeType, fileName, pieces }: UploadFile,
): Promise<UploadRecord> {
  const limitBytes = uploadLimit(mimeType)
  if (limitBytes === undefined)
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `send the file as one of ${uploadTypes.join(', ')}`)
  const sender = await ports.store.sender(workspaceId, from)
  if (!sender) throw noSender(from)
  const { account } = sender
  if (!account) throw noTokenToSend()
  const id = newId('upload')
  const blobKey = `${workspaceId}/upload-${id}`
  await ports.store.begin(blobKey)
  try {
    const { sizeBytes, sha256 } = stored(
      await ports.blobs.put(blobKey, pieces, { limitBytes, sha256: null }),
      mimeType,
      limitBytes,
    )
    const createdAt = new Date(ports.clock.now())
    const upload = {
      ...{ id, numberId: sender.numberId, mimeType, fileName, sizeBytes, sha256 },
      ...{ blobKey, createdAt },
    }
    const providerMediaId = await passOn(ports, account, upload)
    const expiresAt = await ports.store.keep({ ...upload, providerMediaId }, workspaceId)
    return {
      ...{ id: encodeId('upload', id), mimeType, fileName, sizeBytes, sha256 },
      expiresAt: expiresAt.toISOString(),
    }
  } catch (error) {
    await abandon(ports, blobKey)
    throw error
  }
}

/** Fails silently for the caller, who is told why the upload ended: the file goes in a day at the latest. */
const abandon = ({ store, log }: StoreUploadPorts, blobKey: string): Promise<void> =>
  store
    .abandon(blobKey)
    .catch((error: unknown) => log.warn({ blobKey, error: String(error) }, 'media.upload_not_given_up'))

function stored(put: PutResult, mimeType: string, limitBytes: number) {
  if (put.type === 'mismatch') throw new Error('a digest was compared that nobody gave')
  if (put.type === 'tooLarge')
    throw new AppError(
      'PAYLOAD_TOO_LARGE',
      `a file of ${mimeType} must not be larger than ${limitBytes} bytes`,
    )
  if (put.sizeBytes === 0) throw emptyFile()
  return put
}

async function passOn(
  { blobs, provider }: StoreUploadPorts,
  account: ProviderAccount,
  { mimeType, fileName, blobKey }: Pick<StoredUpload, 'mimeType' | 'fileName' | 'blobKey'>,
): Promise<string> {
  const blob = await blobs.open(blobKey)
  if (!blob) throw new Error('a file is gone that was just stored')
  const bytes = { sizeBytes: blob.sizeBytes, pieces: blob.body }
  const result = await provider.uploadMedia(account, { mimeType, fileName, bytes })
  if (result.type === 'ok') return result.value.providerMediaId
  throw providerError('the provider did not take the file', result.error)
}
