// npm start, in plain JavaScript: to load a loader of TypeScript takes longer than to compile what comes first. A
// newcomer sees the first line before that.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

if (!process.argv.includes('--version')) process.stdout.write('Switchboard is starting...\n')
const { build } = await import('esbuild')
const root = fileURLToPath(new URL('../../', import.meta.url))
const source = join(root, 'src', 'dev', 'begin.ts')
const compiled = await build({
  ...{ absWorkingDir: root, entryPoints: [source], write: false, logLevel: 'error' },
  ...{ bundle: true, packages: 'external', format: 'esm', platform: 'node', target: 'node20' },
  define: { 'import.meta.url': JSON.stringify(pathToFileURL(source).href) },
})

// Node finds the packages from both of these folders. `npm ci` may have been run by another user.
const file = [join('node_modules', '.cache'), '.data']
  .map((folder) => join(root, folder, 'switchboard', `begin-${process.pid}.js`))
  .find((path) => {
    try {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, compiled.outputFiles[0].contents)
      return true
    } catch {
      return false
    }
  })
if (file === undefined) throw new Error(`neither node_modules nor .data can be written to in ${root}`)
const { begin } = await import(pathToFileURL(file).href)
rmSync(file)
await begin()
