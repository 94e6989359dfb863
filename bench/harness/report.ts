// Formats the table and the goals for the terminal, and writes the JSON file.
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { ScenarioName } from '../scenarios/scenario.ts'
import { countedRounds, isQuiet, isSound, median, type Round, type RunFigures, ratio } from './figures.ts'

export interface RateResult {
  readonly rate: number
  readonly rounds: readonly Round[]
}

type Read = (run: RunFigures) => number | null

const columns: readonly (readonly [title: string, read: Read])[] = [
  ['p50 ms', (run) => run.latency.p50],
  ['p90', (run) => run.latency.p90],
  ['p99', (run) => run.latency.p99],
  ['max', (run) => run.latency.max],
  ['plan p50', (run) => run.fromSchedule.p50],
  ['plan p99', (run) => run.fromSchedule.p99],
  ['200 p50', (run) => run.answer.p50],
  ['200 p99', (run) => run.answer.p99],
  ['CPU us', (run) => run.cpuMicrosPerEvent],
  ['all us', (run) => run.totalCpuMicrosPerEvent],
  ['others', (run) => run.othersCores],
]

const goalRate = 200
const goals = [
  { name: 'p50', read: (run: RunFigures) => run.latency.p50, timesFloor: 1.8, ms: 2 },
  { name: 'p99', read: (run: RunFigures) => run.latency.p99, timesFloor: 2.5, ms: 10 },
] as const

const cell = (value: number | null): string =>
  (value === null || Number.isNaN(value) ? '-' : value.toFixed(value < 100 ? 2 : 0)).padStart(9)

const line = (name: string, cells: readonly string[]): string => `${name.padEnd(17)}${cells.join('')}`

/** Median over the runs; null when no run has the value, such as CPU time on systems without /proc. */
function middle(runs: readonly RunFigures[], read: Read): number | null {
  const values = runs.map(read).filter((value) => value !== null)
  return values.length === 0 ? null : median(values)
}

export function table(scenario: ScenarioName, results: readonly RateResult[]): string {
  const lines = [
    line(
      `\n${scenario}`,
      columns.map(([title]) => title.padStart(9)),
    ),
  ]
  for (const { rate, rounds } of results) {
    const counted = countedRounds(rounds)
    for (const target of ['system', 'remote', 'floor'] as const) {
      const runs = counted.flatMap((round) => round[target] ?? [])
      const cells = columns.map(([, read]) => cell(middle(runs, read)))
      if (runs.length > 0) lines.push(line(`${rate}/s ${target}`, cells))
      lines.push(...faultsOf(rounds.flatMap((round) => round[target] ?? [])))
    }
    lines.push(...ratioLines(counted))
    if (rate === goalRate) lines.push(...goalLines(counted))
    lines.push(...noiseOf(rounds))
  }
  return lines.join('\n')
}

const ratioLines = (rounds: readonly Round[]): string[] =>
  (['system', 'remote'] as const)
    .filter((target) => rounds.some((round) => round[target] && round.floor))
    .map((target) => {
      const of = ([title, read]: (typeof columns)[number]) =>
        cell(title === 'others' ? null : ratio(rounds, read, target))
      return line(`  ${target} x floor`, columns.map(of))
    })

function noiseOf(rounds: readonly Round[]): string[] {
  const quiet = rounds.filter((round) => Object.values(round).every(isQuiet)).length
  if (quiet === rounds.length) return []
  const counted = quiet === 0 ? 'all are counted and none can be trusted' : 'only those are counted'
  return [`  ${quiet} of ${rounds.length} rounds had the machine to themselves: ${counted}`]
}

const faultsOf = (runs: readonly RunFigures[]): string[] =>
  runs
    .filter(({ faults }) => !isSound(faults))
    .map(
      ({ faults }) =>
        `  FAILED RUN: ${Object.entries(faults)
          .map(([name, count]) => `${count} ${name}`)
          .join(', ')}`,
    )

function goalLines(rounds: readonly Round[]): string[] {
  const runs = rounds.flatMap(({ system }) => system ?? [])
  return goals.flatMap(({ name, read, timesFloor, ms }) => {
    const times = ratio(rounds, read)
    const own = middle(runs, read)
    if (times === null || own === null) return []
    const isMet = times <= timesFloor && own <= ms
    const seen = `${times.toFixed(2)} x floor, ${own.toFixed(2)} ms`
    return [`  goal ${name} <= ${timesFloor} x floor and <= ${ms} ms: ${isMet ? 'met' : 'NOT MET'} (${seen})`]
  })
}

/** Writes results/<scenario>.json. Returns its path. */
export function writeResult(scenario: ScenarioName, results: readonly RateResult[]): string {
  const folder = fileURLToPath(new URL('../results/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  const machine = {
    cpus: `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
  }
  const rates = results.map(({ rate, rounds }) => ({
    rate,
    ratios: Object.fromEntries(goals.map(({ name, read }) => [name, ratio(countedRounds(rounds), read)])),
    cpuRatio: ratio(countedRounds(rounds), (run) => run.cpuMicrosPerEvent),
    rounds,
  }))
  const path = `${folder}${scenario}.json`
  writeFileSync(
    path,
    `${JSON.stringify({ scenario, at: new Date().toISOString(), machine, rates }, null, 2)}\n`,
  )
  return path
}
