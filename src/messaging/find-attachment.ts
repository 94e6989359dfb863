// GET /messages/chat/:id/media: the file of a message. Waits up to 5 s for a file that is not fetched yet.
import type { BlobStore } from '../contract/blobs.ts'
import { AppError, notFound } from '../contract/errors.ts'
import type { Clock } from '../shared/clock.ts'
import type { MessageId, WorkspaceId } from '../shared/ids.ts'
import type { MediaFetcher } from './fetch-media.ts'
import type { Attachment, MediaState, MediaStore, StoredMedia } from './media.ts'

export interface FindAttachmentPorts {
  readonly store: Pick<MediaStore, 'find'>
  readonly fetcher: Pick<MediaFetcher, 'fetchNow'>
  readonly blobs: Pick<BlobStore, 'open'>
  readonly clock: Clock
}

export type FindAttachment = (
  workspaceId: WorkspaceId,
  id: MessageId,
  /** Aborts when the client no longer waits. */
  signal: AbortSignal,
) => Promise<Attachment>

const waitMs = 5_000
const lookEveryMs = 100

export const createFindAttachment =
  (ports: FindAttachmentPorts): FindAttachment =>
  async (workspaceId, id, signal) => {
    const { store, blobs } = ports
    const find = () => store.find(workspaceId, id)
    let media = await find()
    if (media?.state === 'PENDING') {
      await ports.fetcher.fetchNow(id)
      media = await untilArrived(find, ports.clock, signal)
    }
    if (media?.state !== 'STORED') throw refusal(media)
    const { blobKey } = media
    return { ...media, open: (range) => blobs.open(blobKey, range) }
  }

async function untilArrived(
  find: () => Promise<MediaState | undefined>,
  clock: Clock,
  signal: AbortSignal,
): Promise<MediaState | undefined> {
  const deadline = clock.mono() + waitMs
  let media = await find()
  while (media?.state === 'PENDING' && clock.mono() < deadline) {
    signal.throwIfAborted()
    await new Promise<void>((resolve) => void clock.after(lookEveryMs, resolve))
    media = await find()
  }
  return media
}

function refusal(media: Exclude<MediaState, StoredMedia> | undefined): AppError {
  if (!media) return notFound('message')
  switch (media.state) {
    case 'NONE':
      return new AppError('NOT_FOUND', 'the message has no attachment; those that have one name it in media')
    case 'LOST':
      return new AppError(
        'NOT_FOUND',
        'the attachment could not be fetched from the provider and is lost; ask the customer to send it again',
      )
    case 'PENDING':
      return new AppError('UNAVAILABLE', 'the attachment has not arrived from the provider yet; try again', {
        retryAfterSeconds: 2,
      })
  }
}
