// Compiles the program to JavaScript for the processes that tests start by the hundred: compiling at each
// start would take longer than the rest of the start.
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type BuildOptions, build } from 'esbuild'
import { writeBuilt } from '../../src/console/assets/built.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folders = ['src', 'workers']

// esbuild writes them in double quotes, so that what a test says of sources in other quotes stays as it is.
const specifier = /((?:from|import) ?\(?"\.{1,2}\/[^"]+)\.ts(?=")/g

/** The peers of the bench may be installed. */
const modulesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
    .map((name) => join(folder, name))

/** With `extra` build options; `write` gets the path of each module relative to the project, and its JavaScript. */
async function compile(
  from: readonly string[],
  write: (path: string, text: string) => void,
  extra: BuildOptions = {},
): Promise<void> {
  const { outputFiles } = await build({
    ...{ absWorkingDir: root, outbase: root, outdir: root, write: false, logLevel: 'error' },
    ...{ format: 'esm', platform: 'node', target: 'node20' },
    entryPoints: from.flatMap(modulesIn),
    ...extra,
  } as const)
  for (const { path, text } of outputFiles ?? [])
    write(relative(extra.outdir ?? root, path), text.replaceAll(specifier, '$1.js'))
}

const writeInto =
  (dir: string) =>
  (path: string, text: string): void => {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }

/**
 * Compiles each module to its own file, beside the files that it reads by their place: SQL, Lua, the sources
 * of the pages.
 */
export async function compileProgram(dir: string): Promise<void> {
  for (const folder of folders) cpSync(join(root, folder), join(dir, folder), { recursive: true })
  await compile(folders, writeInto(dir))
}

const ownUrl = '__urlOfTheSource'

/**
 * Compiles the tests and what they import: a process that loads hundreds of modules starts and runs faster than with
 * a loader. Each module believes to be its source, beside which it finds other files.
 */
export async function compileTests(dir: string): Promise<void> {
  const write = writeInto(dir)
  await compile(
    [...folders, 'bench', 'test'],
    (path, text) => {
      const source = pathToFileURL(join(root, path.replace(/\.js$/, '.ts')))
      write(path, `const ${ownUrl} = ${JSON.stringify(source.href)};${text}`)
    },
    // A stack names the lines of the sources.
    { outdir: dir, define: { 'import.meta.url': ownUrl }, sourcemap: 'inline', sourcesContent: false },
  )
}

/** Builds the console's pages once, as `npm run build` does, for gateways that would each build them. */
export const buildPages = (dir: string): Promise<void> =>
  writeBuilt(join(dir, 'src', 'console', 'assets', 'built'))

/** What to start for a module of the program: what the test runner compiled, or else the module itself. */
export function compiled(script: string): string {
  const { TEST_PROGRAM: dir } = process.env as Record<string, string | undefined>
  return dir === undefined ? script : relative(root, join(dir, script.replace(/\.ts$/, '.js')))
}
