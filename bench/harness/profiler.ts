// Preloaded by --profile. The first SIGUSR2 starts the profiler, the next one writes gateway.cpuprofile.
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'

const session = new Session()
session.connect()
let isRunning = false

async function toggle(): Promise<void> {
  isRunning = !isRunning
  if (!isRunning) {
    const { profile } = await session.post('Profiler.stop')
    const path = join(process.env['PROFILE_DIR'] ?? '.', 'gateway.cpuprofile')
    // Whoever waits for the file must not read half of it.
    writeFileSync(`${path}.part`, JSON.stringify(profile))
    renameSync(`${path}.part`, path)
    return
  }
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 200 })
  await session.post('Profiler.start')
}

process.on('SIGUSR2', () => void toggle())
