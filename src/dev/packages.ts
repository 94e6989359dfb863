// Makes one file of the packages that consist of hundreds: a process reads it in a third of the time.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** The others have few files, or need the place of theirs. */
const packages = ['bullmq', 'pino', 'prom-client', 'redis', 'undici', 'ws']

/** Each package is evaluated when a module asks for it first. */
async function bundlePackages(file: string): Promise<void> {
  const members = packages.map((name) => `get ${JSON.stringify(name)}() { return require('${name}') }`)
  await build({
    ...{ absWorkingDir: root, outfile: file, logLevel: 'error' },
    stdin: { contents: `module.exports = { ${members.join(', ')} }`, resolveDir: root },
    ...{ bundle: true, format: 'cjs', platform: 'node', target: 'node20', minifyWhitespace: true },
    // A native part, found by its place.
    external: ['msgpackr-extract'],
  })
}

/** What `npm ci` installed, mended. */
export function installed(): string {
  const patches = join(root, 'src', 'platform', 'postgres', 'patches')
  const files = [join(root, 'package-lock.json'), ...readdirSync(patches).map((name) => join(patches, name))]
  const hash = createHash('sha256').update(packages.join())
  for (const path of files) hash.update(readFileSync(path))
  return hash.digest('hex').slice(0, 16)
}

/** The file in this folder, made once for what is installed. */
export async function packagesOnce(folder: string): Promise<string> {
  const file = join(folder, `packages-${installed()}.cjs`)
  if (existsSync(file)) {
    utimesSync(file, new Date(), new Date())
    return file
  }
  const draft = `${file}.new${process.pid}`
  await bundlePackages(draft)
  renameSync(draft, file)
  return file
}

/** Modules take these packages from the file, which may be made later. */
export const fromPackages = (folder: string): Plugin => ({
  name: 'packages in one file',
  setup({ onResolve, onLoad }) {
    const file = join(folder, `packages-${installed()}.cjs`)
    onResolve({ filter: new RegExp(`^(${packages.join('|')})$`) }, ({ path }) => ({
      path,
      namespace: 'packages',
    }))
    onResolve({ filter: /^/, namespace: 'packages' }, ({ path }) => ({ path, external: true }))
    onLoad({ filter: /^/, namespace: 'packages' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(file)})[${JSON.stringify(path)}]`,
    }))
  },
})

/** What such a module calls to load the file. */
export const requiring = `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);`
