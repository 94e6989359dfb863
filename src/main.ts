// Entry of a gateway process.

import { startGateway } from './gateway/gateway.ts'
import { ConfigError, loadSettings } from './platform/config/config.ts'
import { letHeapGrow } from './platform/process/heap-growth.ts'
import { runProcess } from './platform/process/lifecycle.ts'
import { answerVersion } from './shared/version.ts'

answerVersion()
letHeapGrow()

try {
  const settings = loadSettings()
  await runProcess(settings, () => startGateway(settings))
} catch (error) {
  const text = error instanceof ConfigError ? error.message : `the gateway did not start: ${String(error)}`
  process.stderr.write(`${text}\n`)
  process.exit(1)
}
