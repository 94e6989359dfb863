// Uploads recipients slice by slice, and collects a verdict for every row.
import { ApiError, askRaw, inWorkspace } from '../../core/api.ts'
import { slicesOf } from './slices.ts'
import type { Source } from './sources.ts'
import { counted, type Judged, nothingYet, type Tally } from './tally.ts'

const types = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const

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
  const seen = isDryRun ? new Set<number | string>() : undefined
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
      ...counted(tally, told.filter(isJudged), { lines, seen }),
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

const isJudged = (line: Line): line is Judged => 'verdict' in line

/** The reason why the server did not read the rest of the slice. */
function failureIn(told: readonly Line[]): ApiError | undefined {
  const last = told.at(-1)
  return last && 'error' in last ? new ApiError({ ...last.error, status: 422 }) : undefined
}
