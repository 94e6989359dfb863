// Saves files, and lists that are fetched as CSV: such a file is kept only when all of it has come.
import { askRaw } from './api.ts'

/** How the last line of a file begins that is not the whole list. */
const CUT = '# Cut after '

export interface Downloaded {
  readonly rows: number
  readonly isCut: boolean
}

interface Options {
  readonly signal: AbortSignal
  /** Told the rows that have come. */
  onRows(rows: number): void
}

/** `path` is one of the console's API. */
export async function downloadCsv(path: string, { signal, onRows }: Options): Promise<Downloaded> {
  const answer = await askRaw(path, { signal })
  const parts: Uint8Array<ArrayBuffer>[] = []
  // The first line has the names of the columns. A line break within a text counts as a row until the end.
  let rows = -1
  const reader = answer.body?.getReader()
  for (let step = await reader?.read(); step && !step.done; step = await reader?.read()) {
    parts.push(step.value)
    for (const byte of step.value) if (byte === 0x0d) rows += 1
    onRows(Math.max(rows, 0))
  }
  const file = new Blob(parts, { type: 'text/csv' })
  const end = await file.slice(-200).text()
  const cut = end.split('\r\n').find((line) => line.startsWith(CUT))
  saveFile(nameIn(answer.headers.get('content-disposition') ?? ''), file)
  return {
    rows: cut ? Number.parseInt(cut.slice(CUT.length), 10) : Math.max(rows, 0),
    isCut: cut !== undefined,
  }
}

const nameIn = (disposition: string): string =>
  decodeURIComponent(/filename\*=UTF-8''([^;]+)/.exec(disposition)?.[1] ?? 'export.csv')

export function saveFile(name: string, file: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  // After the click the browser still reads it.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
