// The field for the media in the header of a template: a link, or a file that is uploaded here.
import { useRef, useState } from 'preact/hooks'
import type { TemplateRecord } from '../../../contract/records/catalog.ts'
import { sentence } from '../core/format.ts'
import { useAction } from '../core/load.ts'
import { uploadSmallFile } from '../core/upload-file.ts'
import { useLatest } from '../core/use-latest.ts'
import { Button } from './button.tsx'
import { Field } from './field.tsx'
import { headerIcons, Icon } from './icon.tsx'
import { Problem } from './states.tsx'

const accepted = {
  IMAGE: 'image/jpeg,image/png',
  VIDEO: 'video/mp4,video/3gpp',
  GIF: 'video/mp4',
  DOCUMENT: 'application/pdf',
} as const

export type MediaFormat = keyof typeof accepted

interface Component {
  readonly type?: string
  readonly format?: string
  readonly cards?: readonly { readonly components?: readonly Component[] }[]
}

/** Of the header that this variable fills, in the template or in a card. Undefined if it takes no media. */
export function mediaFormatOf(
  { components }: Pick<TemplateRecord, 'components'>,
  variable: string,
): MediaFormat | undefined {
  const find = (list: readonly Component[] | undefined, type: string) =>
    list?.find((component) => component.type?.toUpperCase() === type)
  const all = components as readonly Component[]
  const card = /^card\.(\d+)\./.exec(variable)?.[1]
  const header = find(
    card === undefined ? all : find(all, 'CAROUSEL')?.cards?.[Number(card)]?.components,
    'HEADER',
  )
  const format = header?.format?.toUpperCase() ?? ''
  return Object.hasOwn(accepted, format) ? (format as MediaFormat) : undefined
}

/** Whether the value is an uploaded file. Only the number that it was uploaded for can send it. */
export const isUploaded = (value: string): boolean => /^\d+$/.test(value)

/** The response to an upload: `id` is the value of the variable. */
interface Uploaded {
  readonly id: string
  readonly fileName: string
}

export function MediaField({
  name,
  format,
  numberId,
  value,
  error,
  onChange,
}: {
  /** The variable. */
  readonly name: string
  readonly format: MediaFormat
  /** The number that sends the message. */
  readonly numberId: string
  readonly value: string
  readonly error: string | undefined
  onChange(value: string): void
}) {
  const input = useRef<HTMLInputElement>(null)
  const [uploaded, setUploaded] = useState<Uploaded>()
  const uploading = useAction()
  const fill = useLatest(onChange)
  const card = /^card\.(\d+)\./.exec(name)?.[1]
  const kind = card === undefined ? sentence(format) : `${sentence(format)} of card ${Number(card) + 1}`
  const take = (file: File | undefined) =>
    file &&
    uploading.run(async () => {
      const taken = await uploadSmallFile<Uploaded>('/media', file, { numberId })
      setUploaded(taken)
      fill(taken.id)
    })
  // A form that is opened again knows only the id, not the file name.
  if (isUploaded(value))
    return (
      <div class="field">
        <span class="label">{kind} in the header</span>
        <div class="media-taken">
          <Icon name={headerIcons[format] ?? 'file'} />
          <span role="status">{uploaded?.id === value ? uploaded.fileName : 'A file that was uploaded'}</span>
          <Button onClick={() => onChange('')}>Remove</Button>
        </div>
      </div>
    )
  return (
    <div class="stack media-choice">
      <Field
        label={`${kind} in the header`}
        hint="A link to it, or a file of yours of up to 16 MiB."
        type="url"
        placeholder="https://"
        value={value}
        error={error}
        onInput={onChange}
      />
      <input
        ref={input}
        type="file"
        class="visually-hidden"
        aria-label={`${kind} to upload`}
        tabIndex={-1}
        accept={accepted[format]}
        onChange={(event) => {
          void take(event.currentTarget.files?.[0])
          event.currentTarget.value = ''
        }}
      />
      <div>
        <Button icon="image" isBusy={uploading.isBusy} onClick={() => input.current?.click()}>
          Upload a file
        </Button>
      </div>
      <Problem error={uploading.error} />
    </div>
  )
}
