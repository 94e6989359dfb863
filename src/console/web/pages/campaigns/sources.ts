// Sources of recipients: a file or pasted rows. Also builds the sample file for a template.
import type { CampaignRecord } from '../../../../contract/records/campaign.ts'
import type { TemplateRecord } from '../../../../contract/records/catalog.ts'
import { isUserId } from '../../../../web/browser/phone.ts'
import { bareHead, delimiterOf, type FileForm } from './slices.ts'
import type { Fault } from './tally.ts'

export interface Source {
  readonly name: string
  readonly file: Blob
  readonly form: FileForm
  /** Lines at the top that the operator did not write: an added header. */
  readonly linesAhead: number
  /** The rows as they were pasted. Absent: a file was chosen. */
  readonly pasted?: string
}

export interface ExpectedColumn {
  readonly name: string
  readonly example: string
  /** The value for an empty cell. Undefined: every row needs a value. */
  readonly fallback: string | undefined
}

/** The variables of the template, each once. */
export function expectedColumns(
  template: TemplateRecord | undefined,
  campaign: Pick<CampaignRecord, 'variables'>,
): ExpectedColumn[] {
  const byName = new Map((template?.variables ?? []).map((variable) => [variable.name, variable]))
  return [...byName.values()].map(({ name, example }) => ({
    name,
    example: example ?? 'text',
    fallback: campaign.variables[name],
  }))
}

const isNdjson = (name: string, text: string): boolean =>
  /\.(ndjson|jsonl|json)$/i.test(name) || text.trimStart().startsWith('{')

export async function sourceOfFile(file: File): Promise<Source> {
  const head = await file.slice(0, 1_024).text()
  return { name: file.name, file, form: isNdjson(file.name, head) ? 'ndjson' : 'csv', linesAhead: 0 }
}

/** Adds a header to rows without one: the number or user id first, then the variables in their order. */
export function sourceOfText(text: string, columns: readonly ExpectedColumn[]): Source {
  const rows = text.trim()
  const source = (content: string, form: Source['form'], linesAhead = 0): Source => ({
    name: 'Pasted rows',
    file: new Blob([content]),
    form,
    linesAhead,
    pasted: text,
  })
  if (isNdjson('', rows)) return source(rows, 'ndjson')
  if (!beginsWithAddress(rows)) return source(rows, 'csv')
  const first = bareHead(rows)
  const delimiter = String.fromCharCode(delimiterOf(first))
  const names = ['to', ...columns.map(({ name }) => name)].slice(0, first.split(delimiter).length)
  return source(`${names.join(delimiter)}\n${rows}`, 'csv', 1)
}

function beginsWithAddress(rows: string): boolean {
  const [, cell = ''] = /^"?([^",;\t\r\n]*)/.exec(rows) ?? []
  return /^[+\d(]/.test(cell) || isUserId(cell.trim())
}

const cell = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

const csvOf = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('')

export const sampleCsv = (columns: readonly ExpectedColumn[]): string =>
  csvOf([
    ['to', ...columns.map(({ name }) => name)],
    ['+15551230000', ...columns.map(({ example }) => example)],
    ['+15551230001', ...columns.map(({ example, fallback }) => (fallback === undefined ? example : ''))],
  ])

/** Prevents a spreadsheet from running foreign text as a formula. */
const harmless = (text: string): string =>
  /^[=+\-@\t\r]/.test(text) && !/^\+\d+$/.test(text) ? `'${text}` : text

export const faultsCsv = (faults: readonly Fault[]): string =>
  csvOf([
    ['line', 'to', 'reason'],
    ...faults.map(({ line, to, message }) => [String(line), harmless(to), harmless(message)]),
  ])
