// Compiles the program to JavaScript for the processes that tests start by the hundred: compiling at each
// start would take longer than the rest of the start.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { writeBuilt } from '../../src/console/assets/built.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folders = ['src', 'workers']

const specifier = /((?:from|import) ?\(?["']\.{1,2}\/[^"']+)\.ts(?=["'])/g

/**
 * Compiles each module to its own file, beside the files that it reads by their place: SQL, Lua, the sources
 * of the pages.
 */
export async function compileProgram(dir: string): Promise<void> {
  for (const folder of folders) cpSync(join(root, folder), join(dir, folder), { recursive: true })
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: folders.map((folder) => join(folder, '**', '*.ts')),
    outbase: root,
    outdir: dir,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    write: false,
    logLevel: 'error',
  })
  for (const { path, text } of outputFiles) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text.replaceAll(specifier, '$1.js'))
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
