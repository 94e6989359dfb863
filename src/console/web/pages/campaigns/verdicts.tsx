import { useEffect, useRef } from 'preact/hooks'
import { saveFile } from '../../core/download.ts'
import { count, percent, plural } from '../../core/format.ts'
import { Button } from '../../parts/button.tsx'
import { Section } from '../../parts/facts.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { faultsCsv, type Source } from './sources.ts'
import type { Fault, Tally } from './tally.ts'

interface Props {
  readonly step: 'judged' | 'added'
  readonly source: Source | undefined
  readonly tally: Tally
  readonly isBusy: boolean
}

const mostShown = 100
const ended = { judged: 'Checked', added: 'Done' }

export function Verdicts({ step, source, tally, isBusy }: Props) {
  const { added, duplicates, skipped, invalid, faults, part } = tally
  const head = useRef<HTMLParagraphElement>(null)
  // The button that had the focus is gone.
  useEffect(() => head.current?.focus(), [step])
  const figures = [
    { title: step === 'judged' ? 'To be added' : 'Added', value: added, hint: 'They get the message.' },
    { title: 'Duplicates', value: duplicates, hint: 'Already there; the first row stays.' },
    { title: 'Skipped', value: skipped, hint: 'Opted out: listed, but nothing is sent.' },
    { title: 'Invalid', value: invalid, hint: 'Not added; the reasons are below.' },
  ]
  return (
    <>
      <div class="upload-head">
        <p ref={head} tabIndex={-1}>
          <strong>{source?.name}</strong>{' '}
          <span role="status">{isBusy ? percent(Math.floor(part * 100) / 100) : ended[step]}</span>
        </p>
        <progress aria-label="Rows done" max={1} value={isBusy ? part : 1} />
      </div>
      <dl class="verdict-figures">
        {figures.map(({ title, value, hint }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{count(value)}</dd>
            <dd class="hint">{hint}</dd>
          </div>
        ))}
      </dl>
      {faults.length > 0 && <Faults faults={faults} total={invalid} />}
      {step === 'judged' && !isBusy && <p class="dim">Nothing was added yet.</p>}
    </>
  )
}

const columns: readonly Column<Fault & { readonly id: string }>[] = [
  { title: 'Line', align: 'end', cell: ({ line }) => count(line) },
  { title: 'Number', cell: ({ to }) => (to === '' ? <span class="dim">None</span> : <code>{to}</code>) },
  { title: 'What is wrong', cell: ({ message }) => message },
]

const Faults = ({ faults, total }: { readonly faults: readonly Fault[]; readonly total: number }) => (
  <Section
    title={plural(total, 'invalid row')}
    actions={
      <Button
        icon="download"
        onClick={() => saveFile('invalid-rows.csv', new Blob([faultsCsv(faults)], { type: 'text/csv' }))}
      >
        Download
      </Button>
    }
  >
    <Table
      label="Invalid rows"
      columns={columns}
      rows={faults.slice(0, mostShown).map((fault) => ({ ...fault, id: String(fault.line) }))}
    />
    {total > mostShown && (
      <p class="hint">
        The first {mostShown} are shown; the file has{' '}
        {total > faults.length ? `the first ${count(faults.length)}` : 'all'}.
      </p>
    )}
  </Section>
)
