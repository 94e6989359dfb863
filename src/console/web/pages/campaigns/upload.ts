// Uploads recipients slice by slice, and collects a verdict for every row.
import { ApiError, askRaw, inWorkspace } from '../../core/api.ts'
import { type FileForm, slicesOf } from './slices.ts'

export interface Source {
  readonly name: string
  readonly file: Blob
  readonly form: FileForm
  /** Lines at the top that the operator did not write: an added header. */
  readonly linesAhead: number
}

export interface Fault {
  readonly line: number
  readonly to: string
  readonly message: string
}

export interface Tally {
  readonly added: number
  readonly duplicates: number
  readonly skipped: number
  readonly invalid: number
  /** The first invalid rows, up to `mostFaults`. */
  readonly faults: readonly Fault[]
  /** The uploaded part of the file, from 0 to 1. */
  readonly part: number
}

export const nothingYet: Tally = { added: 0, duplicates: 0, skipped: 0, invalid: 0, faults: [], part: 0 }

const mostFaults = 10_000
const types = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const

interface Judged {
  readonly index: number
  readonly to: string
  readonly verdict: 'added' | 'duplicate' | 'skipped' | 'invalid'
  /** Only for an invalid row. */
  readonly message?: string
}

type Line =
  | Judged
  | { readonly summary: object }
  | { readonly error: ConstructorParameters<typeof ApiError>[0] }

export interface Job {
  readonly campaignId: string
  readonly source: Source
  /** Only validates the rows; adds nobody. */
  readonly isDryRun: boolean
  readonly signal: AbortSignal
  onProgress(tally: Tally): void
}

/** Rejects if a slice is refused or the connection is lost. The progress reported until then stays valid. */
export async function upload({ campaignId, source, isDryRun, signal, onProgress }: Job): Promise<Tally> {
  const path = inWorkspace(`/campaigns/${campaignId}/recipients`, isDryRun ? { dryRun: 'true' } : {})
  // A dry run stores nothing, so the server cannot find duplicates across slices.
  const seen = isDryRun ? new Set<number>() : undefined
  const uploadId = newUploadId()
  let tally = nothingYet
  for await (const slice of slicesOf(source.file, source.form)) {
    const answer = await askRaw(path, {
      method: 'POST',
      headers: { 'content-type': types[source.form], accept: types.ndjson, 'x-upload-id': uploadId },
      body: slice.body,
      signal,
    })
    const told = linesOf(await answer.text())
    const lines = slice.lines.map((line) => line - source.linesAhead)
    tally = {
      ...counted(tally, told, { lines, seen }),
      part: slice.bytesDone / Math.max(source.file.size, 1),
    }
    onProgress(tally)
    const failure = failureIn(told)
    if (failure) throw failure
  }
  return tally
}

/** The audit entry of each slice names it, so that the slices of one upload can be found together. */
const newUploadId = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(16).padStart(8, '0')).join('')

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line)

function counted(
  before: Tally,
  told: readonly Line[],
  { lines, seen }: { lines: readonly number[]; seen: Set<number> | undefined },
): Tally {
  const tally = { ...before, faults: [...before.faults] }
  for (const line of told) {
    if (!('verdict' in line)) continue
    const { index, to, message } = line
    tally[sumOf(line, seen)] += 1
    if (message !== undefined && tally.faults.length < mostFaults)
      tally.faults.push({ line: lines[index] ?? index + 1, to, message })
  }
  return tally
}

function sumOf({ verdict, to }: Judged, seen: Set<number> | undefined) {
  if (verdict === 'invalid') return verdict
  return verdict === 'duplicate' || !isNew(to, seen) ? 'duplicates' : verdict
}

/** The reason why the server did not read the rest of the slice. */
function failureIn(told: readonly Line[]): ApiError | undefined {
  const last = told.at(-1)
  return last && 'error' in last ? new ApiError({ ...last.error, status: 422 }) : undefined
}

/** At most fifteen digits: a number holds them exactly, and takes a fraction of the memory of a string. */
function isNew(to: string, seen: Set<number> | undefined): boolean {
  if (!seen) return true
  const digits = Number(to.replaceAll(/\D/g, ''))
  if (seen.has(digits)) return false
  seen.add(digits)
  return true
}
