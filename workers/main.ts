// Entry of a worker process.
import { ConfigError, loadSettings } from '../src/config/config.ts'
import { runProcess } from '../src/wiring/lifecycle.ts'
import { startWorker } from './worker.ts'

try {
  const settings = loadSettings()
  await runProcess(settings, () => startWorker(settings))
} catch (error) {
  const text = error instanceof ConfigError ? error.message : `the worker did not start: ${String(error)}`
  process.stderr.write(`${text}\n`)
  process.exit(1)
}
