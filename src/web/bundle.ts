// Turns pages into files: bundled, named by their content, compressed.
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { BuildOptions, Metafile } from 'esbuild'

/** What a browser is given, beside `index.html`, which names these sources as `{{path}}`. */
export interface Site {
  /** Where the sources are. */
  readonly folder: string
  /** The path under which the files are served, with a slash at its end. */
  readonly base: string
  readonly modules: readonly string[]
  /** Styles, images, and scripts that run before the first paint. */
  readonly others: readonly string[]
}

export interface PageFile {
  /** Below the base of its site; the page itself is `index.html`. */
  readonly name: string
  readonly bytes: Uint8Array
  readonly brotli: Uint8Array
  readonly gzip: Uint8Array
}

export interface Bundle {
  readonly files: readonly PageFile[]
  /** What esbuild says of its outputs, by file name: for the budget. */
  readonly outputs: Metafile['outputs']
}

const common = {
  outdir: 'out',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  write: false,
  metafile: true,
  minify: true,
  target: ['chrome123', 'firefox120', 'safari17.5'],
  loader: { '.svg': 'copy' },
  logLevel: 'silent',
} as const satisfies BuildOptions

/** `thorough` spends a second more on smaller files. */
export async function bundleSite(
  { folder, base, modules, others }: Site,
  { thorough }: { readonly thorough: boolean },
): Promise<Bundle> {
  const { build } = await import('esbuild')
  const here = { ...common, absWorkingDir: folder, publicPath: base }
  const built = await Promise.all([
    build({
      ...here,
      entryPoints: [...modules],
      format: 'esm',
      splitting: true,
      jsx: 'automatic',
      jsxImportSource: 'preact',
    }),
    // A script that runs before the first paint is no module, so it shares no chunk with one.
    build({ ...here, entryPoints: [...others], format: 'iife' }),
  ])
  const outputs: Metafile['outputs'] = {}
  for (const { metafile } of built)
    for (const [path, output] of Object.entries(metafile.outputs)) outputs[basename(path)] = output
  const index = page(await readFile(join(folder, 'index.html'), 'utf8'), outputs, base)
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
function page(template: string, outputs: Metafile['outputs'], base: string): string {
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
      .map((one) => `<link rel="modulepreload" href="${base}${one}">`)
      .join('\n')
  return template.replaceAll(/\{\{(\+?)(.+?)\}\}/g, (_, plus: string, path: string) =>
    plus === '' ? base + nameOf(path) : preloads(nameOf(path)),
  )
}

const [brotli, gzipped] = [promisify(brotliCompress), promisify(gzip)]

async function compressed(
  { name, bytes }: Pick<PageFile, 'name' | 'bytes'>,
  thorough: boolean,
): Promise<PageFile> {
  const params = { [constants.BROTLI_PARAM_QUALITY]: thorough ? constants.BROTLI_MAX_QUALITY : 5 }
  return { name, bytes, brotli: await brotli(bytes, { params }), gzip: await gzipped(bytes, { level: 9 }) }
}
