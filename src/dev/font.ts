// Cuts the font of all pages out of the whole of Inter. `npm run font` writes it. The result is in the repository, so
// that neither a build nor a start waits for it; a test compares what it was made of.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import subsetFont from 'subset-font'

const range = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index)).join('')

/** Latin with the letters of all European languages that are written in it, punctuation, arrows and keys. */
const characters = [
  range(0x20, 0x7e),
  range(0xa0, 0x17f),
  'ȘșȚțẞ‐‑–—‘’‚“”„†•…‰‹›€™←↑→↓↗−≈≠≤≥⌘⇧↵✓\u2009\u202f',
].join('')

const source = pathToFileURL(createRequire(import.meta.url).resolve('inter-ui/package.json'))

/** Weights 400 to 700 at the size of text, with kerning and figures of one width. */
const recipe = {
  targetFormat: 'woff2',
  keepFeatures: ['kern', 'tnum', 'calt', 'ccmp', 'mark', 'locl'],
  variationAxes: { opsz: 14, wght: { min: 400, max: 700 } },
  noHinting: true,
} as const

const wholeFont = (): Promise<Uint8Array> => readFile(new URL('variable/InterVariable.woff2', source))

export const cutFont = async (): Promise<Uint8Array> => subsetFont(await wholeFont(), characters, recipe)

/** Changes with everything that the cut font depends on. Much faster than to cut it again. */
export const fontOrigin = async (): Promise<string> =>
  createHash('sha256')
    .update(await wholeFont())
    .update(JSON.stringify([characters, recipe]))
    .digest('hex')

export const fontLicence = (): Promise<Uint8Array> => readFile(new URL('LICENSE.txt', source))
