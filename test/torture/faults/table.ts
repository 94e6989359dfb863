// The figures of all rows as a table.
import type { Figures } from './figures.ts'

const columns: readonly (readonly [title: string, of: (figures: Figures) => string | number])[] = [
  ['sent', ({ sent }) => sent],
  ['lost', ({ lost }) => lost.length],
  ['copies', ({ copies }) => copies],
  ['order', ({ orderBreaks }) => orderBreaks.length],
  ['sockets', ({ sockets }) => sockets],
  ['stale', ({ staleFrames }) => staleFrames],
  ['sends failed', ({ failedSends, sends }) => `${failedSends}/${sends}`],
  ['twice', ({ sentTwice }) => sentTwice],
  ['calls silent', ({ silentCalls, calls }) => `${silentCalls.length}/${calls}`],
  ['late', ({ lateCalls }) => lateCalls],
  ['ring p50/max', ({ ringP50Ms, ringMaxMs }) => `${seconds(ringP50Ms)}/${seconds(ringMaxMs)}`],
  ['text p50/max', ({ textP50Ms, textMaxMs }) => `${seconds(textP50Ms)}/${seconds(textMaxMs)}`],
  ['recover', ({ recoverMs }) => seconds(recoverMs)],
]

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(ms < 1_000 ? 2 : 1)}s`

/** One line for the titles and one for each row, in Markdown. */
export function tableOf(rows: ReadonlyMap<string, Figures>): string[] {
  const lines = [
    ['fault', ...columns.map(([title]) => title)],
    ...[...rows].map(([name, figures]) => [name, ...columns.map(([, of]) => String(of(figures)))]),
  ]
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  )
  const drawn = lines.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  )
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`
  return [drawn[0] ?? '', rule, ...drawn.slice(1)]
}
