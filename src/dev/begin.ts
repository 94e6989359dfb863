// What npm start does first: the servers are unpacked and started while the program is compiled.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { loadSettings } from '../platform/config/config.ts'
import { answerVersion } from '../shared/version.ts'
import { compiledOnce } from './compile.ts'
import { beTheOnlyStart } from './only-start.ts'
import { beginServers } from './servers.ts'

/** Called by `start.js`. */
export async function begin(): Promise<void> {
  answerVersion()
  try {
    const settings = loadSettings()
    await beTheOnlyStart(settings)
    const servers = beginServers(settings)
    const program = await compiledOnce()
    const run = pathToFileURL(join(program, 'src', 'dev', 'run.js')).href
    const { runEverything } = (await import(run)) as typeof import('./run.ts')
    await runEverything(program, servers)
  } catch (error) {
    process.stderr.write(`the start failed: ${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  }
}
