// Preloaded into a gateway by --hops and --tail: keeps the marks of src/shared/marks.ts, and gives them over a socket.
import { subscribe } from 'node:diagnostics_channel'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { nowNs } from './monotonic.ts'
import { recordPauses } from './pauses.ts'
import { tokenIn } from './token.ts'

const names = ['received', 'committed', 'handedOver', 'written'] as const
/** A run that is longer keeps its beginning. */
const mostMarks = 1_000_000

/** Name, id and event of what passed, and when. */
export type Mark = readonly [name: (typeof names)[number], id: string, event: string, atNs: number]

let marks: { name: Mark[0]; body: string | Uint8Array; atNs: number }[] = []

for (const name of names)
  subscribe(`switchboard.${name}`, (body) => {
    if (marks.length < mostMarks) marks.push({ name, body: body as string | Uint8Array, atNs: nowNs() })
  })

function taken(): Mark[] {
  const read = marks.map(({ name, body, atNs }): Mark => {
    const text = typeof body === 'string' ? body : Buffer.from(body).toString('latin1')
    return [name, tokenIn(text), /"event":"([a-z.]+)"/.exec(text)?.[1] ?? '', atNs]
  })
  marks = []
  return read
}

const path = process.env['MARKS_PATH']
if (path) {
  rmSync(path, { force: true })
  const pauses = process.env['TAIL'] ? recordPauses() : () => []
  createServer(({ url }, response) => response.end(JSON.stringify(url === '/tail' ? pauses() : taken())))
    .listen(path)
    .unref()
}
