// The file of a message, shown inline if the browser can show it. The session authorises the download, and
// the file never runs as a page.
import { useRef, useState } from 'preact/hooks'
import type { MessageRecord } from '../../../../contract/records/message.ts'
import { askRaw, inWorkspace, toApiError } from '../../core/api.ts'
import { bytes, sentence } from '../../core/format.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions, DialogBody } from '../../parts/dialog.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { kindIcons } from './words.ts'

interface Props {
  readonly message: MessageRecord
  readonly media: NonNullable<MessageRecord['media']>
}

export function Attachment({ message, media }: Props) {
  const { id, type } = message
  const path = inWorkspace(`/messages/${id}/media`)
  const [problem, setProblem] = useState<string>()
  const name = media.fileName ?? sentence(type)
  const size = media.sizeBytes === null ? '' : bytes(media.sizeBytes)
  const onBroken = () => void problemOf(path).then((found) => setProblem(found ?? NOT_SHOWN))
  const file = { source: `/console/api${path}`, name, size, fileName: media.fileName ?? '' }
  if (problem !== undefined)
    return (
      <div class="attachment gone">
        <Icon name="warning" />
        <span>
          <strong>{name}</strong> {size && <small>{size}</small>}
          <br />
          {problem}
        </span>
        {problem !== EXPIRED && <Button onClick={() => setProblem(undefined)}>Try again</Button>}
      </div>
    )
  return (
    <div class="attachment">
      <Seen message={message} file={file} onBroken={onBroken} />
      {type !== 'STICKER' && (
        <Download
          file={file}
          icon={kindIcons[type] ?? 'file'}
          judge={async () => {
            const found = await problemOf(path)
            setProblem(found)
            return found === undefined
          }}
        />
      )}
    </div>
  )
}

const EXPIRED = 'This file has expired: the provider and this workspace no longer keep it.'
const NOT_SHOWN = 'It could not be shown here. Try again, or open it on another device.'

/** Why a file does not come; undefined where it does. Asks for one byte of it. */
async function problemOf(path: string): Promise<string | undefined> {
  try {
    await askRaw(path, { headers: { range: 'bytes=0-0' } })
    return undefined
  } catch (failure) {
    const { code, message } = toApiError(failure)
    if (code === 'RANGE_NOT_SATISFIABLE') return undefined
    return code === 'NOT_FOUND' ? EXPIRED : message
  }
}

interface File {
  readonly source: string
  readonly name: string
  readonly size: string
  /** For the download. */
  readonly fileName: string
}

function Seen({
  message: { type, direction },
  file,
  onBroken,
}: {
  readonly message: MessageRecord
  readonly file: File
  onBroken(): void
}) {
  const { source, name } = file
  if (type === 'IMAGE' || type === 'STICKER')
    return (
      <Picture
        file={file}
        alt={`${sentence(type)} ${direction === 'INBOUND' ? 'from' : 'to'} the customer`}
        onBroken={onBroken}
      />
    )
  if (type === 'VIDEO')
    return (
      // biome-ignore lint/a11y/useMediaCaption: videos in messages have no captions.
      <video src={source} controls preload="metadata" aria-label={name} onError={onBroken} />
    )
  if (type !== 'AUDIO') return null
  return (
    // biome-ignore lint/a11y/useMediaCaption: audio in messages has no captions.
    <audio src={source} controls preload="none" aria-label={name} onError={onBroken} />
  )
}

/** Loaded when it comes into view; a click shows it large. */
function Picture({ file, alt, onBroken }: { readonly file: File; readonly alt: string; onBroken(): void }) {
  const [isLarge, setLarge] = useState(false)
  const { source, name, fileName } = file
  return (
    <>
      <a
        href={source}
        class="picture"
        title="Show it large"
        onClick={(event) => {
          event.preventDefault()
          setLarge(true)
        }}
      >
        <img src={source} alt={alt} loading="lazy" onError={onBroken} />
      </a>
      {isLarge && (
        <Dialog title={name} isWide onClose={() => setLarge(false)}>
          <DialogBody>
            <img class="large-picture" src={source} alt={alt} />
          </DialogBody>
          <DialogActions>
            <Button onClick={() => setLarge(false)}>Close</Button>
            <a class="button primary" href={source} download={fileName}>
              Download
            </a>
          </DialogActions>
        </Dialog>
      )}
    </>
  )
}

/** Asks first whether the file is there: a browser would save the refusal as the file. */
function Download({
  file: { source, name, size, fileName },
  icon,
  judge,
}: {
  readonly file: File
  readonly icon: IconName
  judge(): Promise<boolean>
}) {
  const isJudged = useRef(false)
  return (
    <a
      class="file"
      href={source}
      download={fileName}
      onClick={(event) => {
        if (isJudged.current) return
        event.preventDefault()
        const link = event.currentTarget
        void judge().then((isThere) => {
          if (!isThere) return
          isJudged.current = true
          link.click()
          isJudged.current = false
        })
      }}
    >
      <Icon name={icon} />
      <span>{name}</span>
      <small>{size}</small>
    </a>
  )
}
