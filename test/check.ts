// The gate: format, lint, types, unused code, fast tests. Each step names its repair.
import { spawn } from 'node:child_process'
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

const tests: Step = {
  name: 'unit and contract tests',
  command: [process.execPath, '--import', 'tsx', 'test/run.ts', 'test/unit', 'test/contract'],
  repair: 'npm test -- <file> runs one file alone',
}

const steps: readonly Step[] = [
  {
    name: 'format, lint',
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
    name: 'files and exports that only tests use',
    command: [
      bin('knip'),
      ...['-c', 'test/knip.production.json', '--production', '--no-progress'],
      ...['--include', 'files,exports,types'],
    ],
    repair: 'remove it, or move it to test/support',
  },
  {
    name: 'the OpenAPI document',
    command: [bin('redocly'), 'lint', '--format=stylish', 'test/fixtures/openapi.json'],
    repair: 'mend src/api/openapi, then npm run openapi',
  },
]

// Redocly reports its usage and asks for newer releases unless told otherwise.
const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

// `--static` leaves out the tests, for callers that run every test anyway.
const isStatic = process.argv.includes('--static')

const CONCURRENCY = 2

interface Outcome {
  readonly isGood: boolean
  readonly text: string
}

function runStep({ name, command, repair }: Step): Promise<Outcome> {
  const [program, ...args] = command
  if (program.startsWith(root) && !existsSync(program)) throw new Error(`${program} is missing: run npm ci`)
  const startedAt = performance.now()
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env })
    const printed: Buffer[] = []
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => printed.push(chunk))
    child.on('close', (status) => {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
      const output = Buffer.concat(printed).toString().trimEnd()
      if (status === 0) resolve({ isGood: true, text: `ok    ${name} (${seconds} s)\n` })
      else resolve({ isGood: false, text: `${output}\nFAIL  ${name} (${seconds} s): ${repair}\n` })
    })
  })
}

// The longest first: the tests take as long as all other steps together.
const waiting = isStatic ? [...steps] : [tests, ...steps]
let failed = 0
async function work(): Promise<void> {
  for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
    const { isGood, text } = await runStep(step)
    process.stdout.write(text)
    if (!isGood) failed += 1
  }
}

await Promise.all(Array.from({ length: CONCURRENCY }, work))
process.exitCode = failed === 0 ? 0 : 1
