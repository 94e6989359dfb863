// Entry of a worker process.
import { ConfigError, loadSettings } from '../src/platform/config/config.ts'
import { runProcess } from '../src/platform/process/lifecycle.ts'
import { answerVersion } from '../src/shared/version.ts'
import { startWorker } from './worker.ts'

answerVersion()

try {
  const settings = loadSettings()
  await runProcess(settings, () => startWorker(settings))
} catch (error) {
  const text = error instanceof ConfigError ? error.message : `the worker did not start: ${String(error)}`
  process.stderr.write(`${text}\n`)
  process.exit(1)
}
