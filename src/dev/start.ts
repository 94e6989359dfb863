// npm start. The first line comes before the modules load, which takes longer than a newcomer waits for a sign.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { answerVersion } from '../shared/version.ts'

answerVersion()
process.stdout.write('Switchboard is starting...\n')
try {
  // The servers are unpacked and started while the program is compiled.
  const { beginServers } = await import('./servers.ts')
  const servers = beginServers()
  const { compiledOnce } = await import('./compile.ts')
  const program = await compiledOnce()
  const run = pathToFileURL(join(program, 'src', 'dev', 'run.js')).href
  const { runEverything } = (await import(run)) as typeof import('./run.ts')
  await runEverything(program, servers)
} catch (error) {
  process.stderr.write(`the start failed: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
