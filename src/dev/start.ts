// npm start. The first line comes before the modules load, which takes longer than a newcomer waits for a sign.
import { answerVersion } from '../shared/version.ts'

answerVersion()
process.stdout.write('Switchboard is starting...\n')
const { runEverything } = await import('./run.ts')
try {
  await runEverything()
} catch (error) {
  process.stderr.write(`the start failed: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
