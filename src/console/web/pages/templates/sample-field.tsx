// The sample of a media header: a file for the provider's review, uploaded here.
import { useId, useRef, useState } from 'preact/hooks'
import { useAction } from '../../core/load.ts'
import { uploadSmallFile } from '../../core/upload-file.ts'
import { useLatest } from '../../core/use-latest.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Problem } from '../../parts/states.tsx'
import type { MediaFormat } from './draft.ts'

const accepted: Readonly<Record<MediaFormat, string>> = {
  IMAGE: 'image/jpeg,image/png',
  VIDEO: 'video/mp4',
  DOCUMENT: 'application/pdf',
}

/** `value` is the handle that the provider gave for the file; empty without one. */
export function SampleField({
  format,
  value,
  error,
  onChange,
}: {
  readonly format: MediaFormat
  readonly value: string
  readonly error: string | undefined
  onChange(handle: string): void
}) {
  const errorId = useId()
  const input = useRef<HTMLInputElement>(null)
  const [fileName, setFileName] = useState('')
  const uploading = useAction()
  const fill = useLatest(onChange)
  const take = (file: File | undefined) =>
    file &&
    uploading.run(async () => {
      const { handle } = await uploadSmallFile<{ readonly handle: string }>('/templates/samples', file)
      setFileName(file.name)
      fill(handle)
    })
  return (
    <div class="field stack media-choice">
      <span class="label">Example file</span>
      {value !== '' && (
        <div class="media-taken">
          <Icon name="check" />
          <span role="status">{fileName}</span>
        </div>
      )}
      <input
        ref={input}
        type="file"
        class="visually-hidden"
        aria-label="Example file to upload"
        tabIndex={-1}
        accept={accepted[format]}
        onChange={(event) => {
          void take(event.currentTarget.files?.[0])
          event.currentTarget.value = ''
        }}
      />
      <div>
        <Button
          icon="image"
          isBusy={uploading.isBusy}
          aria-invalid={error ? true : undefined}
          aria-describedby={error && errorId}
          onClick={() => input.current?.click()}
        >
          {value === '' ? 'Upload an example' : 'Upload another one'}
        </Button>
      </div>
      {error && (
        <p class="field-error" id={errorId}>
          {error}
        </p>
      )}
      <p class="hint">For the review, up to 16 MiB. What is really sent is named in each message.</p>
      <Problem error={uploading.error} />
    </div>
  )
}
