// Entry of a gateway process.
import { ConfigError, loadSettings } from './config/config.ts'
import { startGateway } from './wiring/gateway.ts'
import { runProcess } from './wiring/lifecycle.ts'

try {
  const settings = loadSettings()
  await runProcess(settings, () => startGateway(settings))
} catch (error) {
  const text = error instanceof ConfigError ? error.message : `the gateway did not start: ${String(error)}`
  process.stderr.write(`${text}\n`)
  process.exit(1)
}
