// Builds the product: gateways are measured as the image runs them. The TypeScript loader would add a call that names a
// function at each creation.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const root = fileURLToPath(new URL('../../', import.meta.url))

let built: Promise<unknown> | undefined

/** Once a process. */
export function build(): Promise<unknown> {
  built ??= promisify(execFile)(process.execPath, ['--import', 'tsx', 'src/dev/build.ts'], { cwd: root })
  return built
}
