// Compiles the tests, and the program for the processes that tests start by the hundred: compiling at each start would
// take longer than the rest of the start.
import { cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { writeBuilt } from '../../src/console/assets/built.ts'
import { compileProgram, programFolders } from '../../src/dev/compile.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

// esbuild writes them in double quotes, so that what a test says of sources in other quotes stays as it is.
const specifier = /((?:from|import) ?\(?"\.{1,2}\/[^"]+)\.ts(?=")/g

/** The peers of the bench may be installed. */
const modulesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('node_modules'))
    .map((name) => join(folder, name))

/** Compiles the program into a folder with a copy of its files, beside which the pages can be built. */
export async function compileWithFiles(dir: string): Promise<void> {
  for (const folder of programFolders) cpSync(join(root, folder), join(dir, folder), { recursive: true })
  await compileProgram({ dir, home: dir, packages: dir })
}

const ownUrl = '__urlOfTheSource'

/**
 * Compiles the tests and what they import: a process that loads hundreds of modules starts and runs faster than with
 * a loader. Each module believes to be its source, beside which it finds other files.
 */
export async function compileTests(dir: string): Promise<void> {
  const { outputFiles } = await build({
    ...{ absWorkingDir: root, outbase: root, outdir: dir, write: false, logLevel: 'error' },
    ...{ format: 'esm', platform: 'node', target: 'node20' },
    entryPoints: [...programFolders, 'bench', 'test'].flatMap(modulesIn),
    define: { 'import.meta.url': ownUrl },
    // A stack names the lines of the sources.
    ...{ sourcemap: 'inline', sourcesContent: false },
  })
  for (const { path, text } of outputFiles) {
    const source = pathToFileURL(join(root, relative(dir, path).replace(/\.js$/, '.ts')))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(
      path,
      `const ${ownUrl} = ${JSON.stringify(source.href)};${text.replaceAll(specifier, '$1.js')}`,
    )
  }
}

/** Builds the console's pages once, as `npm run build` does, for gateways that would each build them. */
export const buildPages = (dir: string): Promise<void> =>
  writeBuilt(join(dir, 'src', 'console', 'assets', 'built'))

/** What to start for a module of the program: what the test runner compiled, or else the module itself. */
export function compiled(script: string): string {
  const { TEST_PROGRAM: dir } = process.env as Record<string, string | undefined>
  return dir === undefined ? script : relative(root, join(dir, script.replace(/\.ts$/, '.js')))
}
