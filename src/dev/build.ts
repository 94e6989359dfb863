// npm run build: compiles the entries of tsconfig.build.json and their imports into dist, copies the files
// that the modules read, and bundles the console's front end.
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeBuilt } from '../console/assets/built.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const [source, dist] = [join(root, 'src'), join(root, 'dist')]
// Not copied: these sources reach dist only inside bundles, or not at all.
const apart = [join('console', 'web'), join('simulator', 'web'), join('web', 'browser'), 'dev']

/** SQL, Lua, the files and guides of the documentation, and what all pages share. A module finds them relative to itself. */
const isAsset = (path: string): boolean =>
  !/\.ts$/.test(path) &&
  !apart.some((folder) => path.startsWith(folder)) &&
  statSync(join(source, path)).isFile()

// Remove old output: the compiled file of a renamed module would stay and could still run.
rmSync(dist, { recursive: true, force: true })
const compiler = join(root, 'node_modules', '.bin', 'tsc')
const { status } = spawnSync(compiler, ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
if (status !== 0) process.exit(1)
// Fail on existing files: a script with the name of a module would overwrite the compiled module.
for (const path of readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(isAsset))
  cpSync(join(source, path), join(dist, 'src', path), { force: false, errorOnExist: true })
await writeBuilt(join(dist, 'src', 'console', 'assets', 'built'))
