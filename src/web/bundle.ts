// Builds the files of a site: bundles them, names them by a hash of their content and compresses them.
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { BuildOptions, Metafile, Plugin } from 'esbuild'
import { type Encoded, encode } from '../shared/encoded.ts'
import { sharedAddress, sharedLinks } from './shared-files.ts'

/** The sources of a site. Its `index.html` refers to them as `{{path}}`. */
export interface Site {
  /** The folder of the sources. */
  readonly folder: string
  /** The URL path under which the files are served, with a trailing slash. */
  readonly base: string
  readonly modules: readonly string[]
  /** Styles, images, and scripts that run before the first paint. */
  readonly others: readonly string[]
}

/** A bundled file, which always has its compressed forms. */
export interface BundledFile extends Required<Encoded> {
  /** Relative to the base of its site. The page itself is `index.html`. */
  readonly name: string
}

export interface Bundle {
  readonly files: readonly BundledFile[]
  /** esbuild's metadata of its outputs, by file name. Used to check the size budget. */
  readonly outputs: Metafile['outputs']
}

/** What a style names of the shared files is served by their address, and is no part of the bundle. */
const shared: Plugin = {
  name: 'shared files',
  setup: ({ onResolve }) => {
    onResolve({ filter: /\.woff2$/ }, ({ path }) => {
      const address = sharedAddress(path.replace(/^\.\.\//, ''))
      return address === undefined ? undefined : { path: address, external: true }
    })
  },
}

const common = {
  plugins: [shared],
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

/** `thorough` takes one second longer and makes smaller files. */
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
    // A script that runs before the first paint is not a module, so it cannot share chunks with modules.
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
  const files = plain.map(async ({ name, bytes }) => ({ name, ...(await encode(bytes, thorough)) }))
  return { files: await Promise.all(files), outputs }
}

/** The names of all files that a file imports statically, including itself. */
export function staticImports(outputs: Metafile['outputs'], name: string): ReadonlySet<string> {
  const found = new Set([name])
  for (const one of found)
    for (const { kind, path } of outputs[one]?.imports ?? [])
      if (kind === 'import-statement') found.add(basename(path))
  return found
}

/**
 * Replaces each `{{path}}` of the template by the URL of the built source, and each `{{+path}}` by preload
 * links for its static imports, so that the browser does not discover them one after the other. `{{shared}}` becomes
 * the links to the icon and the font.
 */
function page(template: string, outputs: Metafile['outputs'], base: string): string {
  const names = new Map(Object.entries(outputs).map(([name, { entryPoint }]) => [entryPoint, name]))
  // A copied file has no entry point. Its only input is its source.
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
  return template
    .replace('{{shared}}', sharedLinks)
    .replaceAll(/\{\{(\+?)(.+?)\}\}/g, (_, plus: string, path: string) =>
      plus === '' ? base + nameOf(path) : preloads(nameOf(path)),
    )
}
