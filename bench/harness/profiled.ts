// Profiles the gateway of one run: see profiler.ts.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Figures } from './measure.ts'
import { type CpuProfile, profileOf } from './profile.ts'
import { profilePath } from './servers.ts'
import type { Target } from './target.ts'

const writtenWithinMs = 30_000

export async function profiled(
  { variant, pids: [pid] }: Target,
  run: () => Promise<Figures>,
): Promise<Figures> {
  if (variant !== 'gateway' || !pid) return run()
  rmSync(profilePath, { force: true })
  process.kill(pid, 'SIGUSR2')
  const figures = await run()
  process.kill(pid, 'SIGUSR2')
  const deadline = performance.now() + writtenWithinMs
  while (!existsSync(profilePath)) {
    if (performance.now() > deadline) throw new Error('the gateway wrote no profile')
    await sleep(50)
  }
  const profile = JSON.parse(readFileSync(profilePath, 'utf8')) as CpuProfile
  return { ...figures, profile: profileOf(profile, figures.units ?? figures.count) }
}
