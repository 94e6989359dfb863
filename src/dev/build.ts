// npm run build: what the entries of tsconfig.build.json reach, as JavaScript in dist, the files it reads beside it,
// and the console's front end as it is served.
import { spawnSync } from 'node:child_process'
import { cpSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { writeBuilt } from '../console/assets/built.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const [source, dist] = [join(root, 'src'), join(root, 'dist')]
// Goes into bundles alone.
const frontEnds = [join('console', 'web'), join('simulator', 'web'), join('web', 'styles')]

/** SQL, Lua and what the reference page shows: they are found by their place beside the module that reads them. */
const isAsset = (path: string): boolean =>
  !/\.(ts|md)$/.test(path) &&
  !frontEnds.some((folder) => path.startsWith(folder)) &&
  statSync(join(source, path)).isFile()

// A module that was renamed would stay behind, and be run.
rmSync(dist, { recursive: true, force: true })
const compiler = join(root, 'node_modules', '.bin', 'tsc')
const { status } = spawnSync(compiler, ['-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
if (status !== 0) process.exit(1)
// A script beside a module of its name would take the module's place.
for (const path of readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(isAsset))
  cpSync(join(source, path), join(dist, 'src', path), { force: false, errorOnExist: true })
await writeBuilt(join(dist, 'src', 'console', 'assets', 'built'))
