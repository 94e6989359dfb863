import { answerVersion } from '../shared/version.ts'
import { simulatorSettings } from './settings.ts'
import { startSimulator } from './simulator.ts'

answerVersion()

const settings = simulatorSettings(process.env)
const simulator = await startSimulator(settings)

let stopping = false
function stop(): void {
  if (stopping) return
  stopping = true
  // Force the exit: a socket that never closes must not keep the process alive after its parent.
  setTimeout(() => process.exit(0), 2000).unref()
  void simulator.close().finally(() => process.exit(0))
}

process.once('SIGTERM', stop)
process.once('SIGINT', stop)
process.once('disconnect', stop)
if (settings.exitWithParent) {
  process.stdin.resume()
  process.stdin.once('end', stop)
  process.stdin.once('error', stop)
}

process.stdout.write(`${JSON.stringify({ event: 'listening', url: simulator.url })}\n`)
