// The file of a message, shown inline if the browser can show it. The session authorises the download, and
// the file never runs as a page.
import { useState } from 'preact/hooks'
import type { MessageRecord } from '../../../../contract/records/message.ts'
import { inWorkspace } from '../../core/api.ts'
import { sentence } from '../../core/format.ts'
import { Icon } from '../../parts/icon.tsx'

interface Props {
  readonly message: MessageRecord
  readonly media: NonNullable<MessageRecord['media']>
}

export function Attachment({ message: { id, type, direction }, media }: Props) {
  const [isBroken, setBroken] = useState(false)
  const source = `/console/api${inWorkspace(`/messages/${id}/media`)}`
  const broken = () => setBroken(true)
  const name = media.fileName ?? sentence(type)
  return (
    <div class="attachment">
      {!isBroken && (type === 'IMAGE' || type === 'STICKER') && (
        <img
          src={source}
          alt={`${sentence(type)} ${direction === 'INBOUND' ? 'from' : 'to'} the customer`}
          loading="lazy"
          onError={broken}
        />
      )}
      {!isBroken && type === 'VIDEO' && (
        // biome-ignore lint/a11y/useMediaCaption: videos in messages have no captions.
        <video src={source} controls preload="metadata" aria-label={name} onError={broken} />
      )}
      {!isBroken && type === 'AUDIO' && (
        // biome-ignore lint/a11y/useMediaCaption: audio in messages has no captions.
        <audio src={source} controls preload="none" aria-label={name} onError={broken} />
      )}
      {isBroken && (
        <p class="dim">It cannot be shown here. The file may be gone at the provider; try to download it.</p>
      )}
      <a class="file" href={source} download={media.fileName ?? ''}>
        <Icon name="file" />
        <span>{name}</span>
        <small>{sizeOf(media.sizeBytes)}</small>
      </a>
    </div>
  )
}

function sizeOf(bytes: number | null): string {
  if (bytes === null) return ''
  if (bytes < 1_024) return `${bytes} bytes`
  return bytes < 1_048_576 ? `${Math.round(bytes / 1_024)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`
}
