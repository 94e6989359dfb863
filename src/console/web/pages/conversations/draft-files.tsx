// The files of a reply that is being written: how far they are, and what became of those that failed.
import { useRef } from 'preact/hooks'
import { bytes, percent } from '../../core/format.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import type { DraftFile } from './draft.ts'
import { removeFile, upload } from './draft-uploads.ts'
import { acceptedTypes, type FileKind, fileKind } from './files.ts'

const icons: Readonly<Record<FileKind, IconName>> = {
  image: 'image',
  sticker: 'image',
  video: 'video',
  audio: 'sound',
  document: 'document',
}

interface Props {
  readonly id: string
  readonly files: readonly DraftFile[]
}

export const DraftFiles = ({ id, files }: Props) =>
  files.length === 0 ? null : (
    <ul class="draft-files" aria-label="Files to send">
      {files.map((file) => (
        <li key={file.key} class={file.problem === undefined ? undefined : 'failed'}>
          <Icon name={icons[fileKind(file.mimeType)]} />
          <span class="draft-file">
            <span>{file.name}</span>
            <State file={file} />
          </span>
          {file.problem !== undefined && !file.isRefused && (
            <Button onClick={() => void upload(id, file.key)}>Try again</Button>
          )}
          <IconButton label={`Remove ${file.name}`} icon="close" onClick={() => removeFile(id, file.key)} />
        </li>
      ))}
    </ul>
  )

function State({ file: { name, sizeBytes, progress, upload: done, problem } }: { readonly file: DraftFile }) {
  if (problem !== undefined)
    return (
      <small role="alert" class="bad">
        {problem}
      </small>
    )
  if (done) return <small role="status">{bytes(sizeBytes)}</small>
  return (
    <small>
      <progress aria-label={`Upload of ${name}`} max={1} value={progress} />{' '}
      {percent(Math.round(progress * 100) / 100)} of {bytes(sizeBytes)}
    </small>
  )
}

export function Attach({ onChoose }: { onChoose(files: Iterable<File>): void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        class="visually-hidden"
        aria-label="File to send"
        tabIndex={-1}
        multiple
        accept={acceptedTypes}
        onChange={({ currentTarget }) => {
          onChoose([...(currentTarget.files ?? [])])
          currentTarget.value = ''
        }}
      />
      <IconButton label="Attach files" icon="clip" onClick={() => input.current?.click()} />
    </>
  )
}
