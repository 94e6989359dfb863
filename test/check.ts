// The gate: formatting, lint and import fences, types, unused code, and the fast tests. Each step names its repair.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../', import.meta.url))
const bin = (name: string) => join(root, 'node_modules', '.bin', name)

interface Step {
  readonly name: string
  readonly command: readonly [string, ...string[]]
  readonly repair: string
}

const steps: readonly Step[] = [
  {
    name: 'format, lint, import fences',
    command: [bin('biome'), 'ci', '--colors=off', '--max-diagnostics=40', '--error-on-warnings', '.'],
    repair: 'npm run format, and mend by hand what it leaves',
  },
  { name: 'types', command: [bin('tsc'), '-p', '.'], repair: 'mend the types named above' },
  {
    name: 'types of the console’s pages',
    command: [bin('tsc'), '-p', 'src/console/web'],
    repair: 'mend the types named above',
  },
  {
    name: 'types of the handsets’ page',
    command: [bin('tsc'), '-p', 'src/simulator/web'],
    repair: 'mend the types named above',
  },
  {
    name: 'unused files, exports, dependencies',
    command: [bin('knip'), '--no-progress'],
    repair: 'remove what is unused, or use it',
  },
  {
    name: 'the OpenAPI document',
    command: [bin('redocly'), 'lint', '--format=stylish', 'test/fixtures/openapi.json'],
    repair: 'mend src/api/openapi, then npm run openapi',
  },
  {
    name: 'unit and contract tests',
    command: [process.execPath, '--import', 'tsx', 'test/run.ts', 'test/unit', 'test/contract'],
    repair: 'npm test -- <file> runs one file alone',
  },
]

// The linter of the document reports its use and asks for newer releases unless it is told not to.
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

// Where every test runs anyway, these need not run twice.
const isStatic = process.argv.includes('--static')

let failed = 0
for (const { name, command, repair } of isStatic ? steps.slice(0, -1) : steps) {
  const [program, ...args] = command
  if (program.startsWith(root) && !existsSync(program)) throw new Error(`${program} is missing: run npm ci`)
  const startedAt = performance.now()
  const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit', env })
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  if (status === 0) process.stdout.write(`ok    ${name} (${seconds} s)\n`)
  else {
    failed += 1
    process.stdout.write(`FAIL  ${name} (${seconds} s): ${repair}\n`)
  }
}
process.exitCode = failed === 0 ? 0 : 1
