import { useRef, useState } from 'preact/hooks'
import { saveFile } from '../../core/download.ts'
import { bytes } from '../../core/format.ts'
import { Tag } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { TextArea } from '../../parts/field.tsx'
import { type ExpectedColumn, type Source, sampleCsv, sourceOfFile, sourceOfText } from './sources.ts'

interface Props {
  readonly columns: readonly ExpectedColumn[]
  readonly source: Source | undefined
  onChange(source: Source | undefined): void
}

export function ChooseSource({ columns, source, onChange }: Props) {
  const [text, setText] = useState(source?.pasted ?? '')
  const take = async (file: File | undefined) => {
    if (!file) return
    setText('')
    onChange(await sourceOfFile(file))
  }
  const paste = (rows: string) => {
    setText(rows)
    onChange(rows.trim() === '' ? undefined : sourceOfText(rows, columns))
  }
  return (
    <>
      <Expected columns={columns} />
      <FilePlace source={text === '' ? source : undefined} onFile={(file) => void take(file)} />
      <TextArea
        label="Or paste rows"
        rows={5}
        hint="From a spreadsheet or one number a line. Without a header row the columns are taken in the order above."
        value={text}
        onInput={paste}
      />
    </>
  )
}

function FilePlace({
  source,
  onFile,
}: {
  readonly source: Source | undefined
  onFile(file: File | undefined): void
}) {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: drag and drop only supplements the button.
    <div
      class={isOver ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        onFile(event.dataTransfer?.files[0])
      }}
    >
      <input
        ref={input}
        type="file"
        class="visually-hidden"
        aria-label="File of recipients"
        tabIndex={-1}
        accept=".csv,.tsv,.txt,.ndjson,.jsonl,text/csv,application/x-ndjson"
        onChange={(event) => {
          onFile(event.currentTarget.files?.[0])
          event.currentTarget.value = ''
        }}
      />
      <p role="status">
        {source ? (
          <>
            <strong>{source.name}</strong> <span class="dim">{bytes(source.file.size)}</span>
          </>
        ) : (
          'Drop a CSV or NDJSON file here'
        )}
      </p>
      <Button onClick={() => input.current?.click()}>
        {source ? 'Choose another file' : 'Choose a file'}
      </Button>
    </div>
  )
}

const Expected = ({ columns }: { readonly columns: readonly ExpectedColumn[] }) => (
  <div class="expected">
    <p>
      Columns: <Tag>to</Tag>{' '}
      {columns.map(({ name, fallback }) => (
        <span key={name}>
          <Tag>{name}</Tag>
          {fallback !== undefined && <span class="hint"> (or “{fallback}”)</span>}{' '}
        </span>
      ))}
    </p>
    <Button
      icon="download"
      onClick={() => saveFile('recipients-sample.csv', new Blob([sampleCsv(columns)], { type: 'text/csv' }))}
    >
      Sample file
    </Button>
  </div>
)
