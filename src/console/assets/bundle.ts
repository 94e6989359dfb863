// Turns the console's front end into files: bundled, named by their content, compressed. `npm run build` writes them
// and a gateway that runs from source makes them in memory, so both serve the same.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { BuildOptions, Metafile } from 'esbuild'

const web = fileURLToPath(new URL('../web/', import.meta.url))
const BASE = '/console/assets/'

export interface ConsoleFile {
  /** Below `/console/assets/`; the page itself is `index.html`. */
  readonly name: string
  readonly bytes: Uint8Array
  readonly brotli: Uint8Array
  readonly gzip: Uint8Array
}

export interface Bundle {
  readonly files: readonly ConsoleFile[]
  /** What esbuild says of its outputs, by file name: for the budget. */
  readonly outputs: Metafile['outputs']
}

const common = {
  absWorkingDir: web,
  outdir: 'out',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  publicPath: BASE,
  bundle: true,
  write: false,
  metafile: true,
  minify: true,
  target: ['chrome123', 'firefox120', 'safari17.5'],
  loader: { '.svg': 'copy' },
  logLevel: 'silent',
} as const satisfies BuildOptions

/** `thorough` spends a second more on smaller files. */
export async function bundleConsole({ thorough }: { readonly thorough: boolean }): Promise<Bundle> {
  const { build } = await import('esbuild')
  const built = await Promise.all([
    build({
      ...common,
      entryPoints: ['main.tsx'],
      format: 'esm',
      splitting: true,
      jsx: 'automatic',
      jsxImportSource: 'preact',
    }),
    // A script that runs before the first paint is no module, so it shares no chunk with one.
    build({ ...common, entryPoints: ['theme-boot.ts', 'styles/index.css', 'icon.svg'], format: 'iife' }),
  ])
  const outputs: Metafile['outputs'] = {}
  for (const { metafile } of built)
    for (const [path, output] of Object.entries(metafile.outputs)) outputs[basename(path)] = output
  const index = page(await readFile(join(web, 'index.html'), 'utf8'), outputs)
  const plain = [
    ...built.flatMap(({ outputFiles }) =>
      outputFiles.map(({ path, contents }) => ({ name: basename(path), bytes: contents })),
    ),
    { name: 'index.html', bytes: Buffer.from(index) },
  ]
  return { files: await Promise.all(plain.map((file) => compressed(file, thorough))), outputs }
}

/** What a file imports at once, itself included, by name. */
export function staticImports(outputs: Metafile['outputs'], name: string): ReadonlySet<string> {
  const found = new Set([name])
  for (const one of found)
    for (const { kind, path } of outputs[one]?.imports ?? [])
      if (kind === 'import-statement') found.add(basename(path))
  return found
}

/**
 * Each `{{path}}` of the template is the address of what became of that source, and `{{+path}}` asks for what it
 * imports at once, so that the browser need not find that out step by step.
 */
function page(template: string, outputs: Metafile['outputs']): string {
  const names = new Map(Object.entries(outputs).map(([name, { entryPoint }]) => [entryPoint, name]))
  // A file that is copied has no entry point; its only input tells where it comes from.
  for (const [name, { inputs }] of Object.entries(outputs)) {
    const [input, ...others] = Object.keys(inputs)
    if (others.length === 0 && !names.has(input)) names.set(input, name)
  }
  const nameOf = (path: string): string => {
    const name = names.get(path)
    if (name === undefined) throw new Error(`index.html speaks of ${path}, which was not built`)
    return name
  }
  const preloads = (name: string): string =>
    [...staticImports(outputs, name)]
      .slice(1)
      .map((one) => `<link rel="modulepreload" href="${BASE}${one}">`)
      .join('\n')
  return template.replaceAll(/\{\{(\+?)(.+?)\}\}/g, (_, plus: string, path: string) =>
    plus === '' ? BASE + nameOf(path) : preloads(nameOf(path)),
  )
}

const [brotli, gzipped] = [promisify(brotliCompress), promisify(gzip)]

async function compressed(
  { name, bytes }: Pick<ConsoleFile, 'name' | 'bytes'>,
  thorough: boolean,
): Promise<ConsoleFile> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: thorough ? constants.BROTLI_MAX_QUALITY : 5 }
  return { name, bytes, brotli: await brotli(bytes, { params }), gzip: await gzipped(bytes, { level: 9 }) }
}

export const etagOf = (bytes: Uint8Array): string =>
  // Weak: the compressed forms are other bytes of the same content.
  `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`
