// The file that a bench run writes: bench/results/<scenario>.json. bench/README.md describes it.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { EncodedHistogram } from './histogram.ts'
import type { Profile } from './profile.ts'

/** What was measured: ours through one gateway or across two, a floor, or a peer from `bench/peers`. */
export type Variant = 'gateway' | 'remote' | 'floor' | 'micro-floor' | 'usual' | (string & {})

export type Load =
  /** Open loop: units begin at planned times, whatever became of those before. */
  | { readonly kind: 'rate'; readonly perSecond: number }
  /** Closed loop: so many connections, each begins the next unit when the one before is over. */
  | { readonly kind: 'closed'; readonly connections: number }
  /** So many units that wait already, such as a backlog or sockets that were cut. */
  | { readonly kind: 'batch'; readonly units: number }

/** CPU time in microseconds for one unit; null on systems without /proc. */
export interface Cpu {
  /** The measured processes: gateways, or the process of the floor or peer. */
  readonly gateway: number | null
  readonly postgres: number | null
  readonly redis: number | null
  readonly worker: number | null
  /** Everything that the bench started, without generator, receiver and simulator. */
  readonly all: number | null
}

/** Durations in microseconds. Their means add up to the mean of `latency`. */
export interface Hops {
  /** From the send until the gateway has read the body. */
  readonly received: EncodedHistogram
  /** Until the change, its event and its delivery are committed. */
  readonly committed: EncodedHistogram
  /** Until the transport begins the attempt. */
  readonly handedOver: EncodedHistogram
  /** Until the frame or request is written to the connection. */
  readonly written: EncodedHistogram
  /** Until the receiver has it. */
  readonly arrived: EncodedHistogram
}

/** What went on while units were under way. Overlaps, no proof of a cause. */
export interface TailCause {
  readonly cause: string
  /** Units with which it overlapped: of the slowest hundredth, and of the rest. */
  readonly slow: number
  readonly rest: number
  /** With the slowest hundredth, all together. */
  readonly overlapMs: number
}

export interface TailFigures {
  /** Units of the slowest hundredth, and of the rest. */
  readonly slow: number
  readonly rest: number
  /** What the slowest hundredth took, all together. */
  readonly slowMs: number
  /** Units of the slowest hundredth with which nothing overlapped. */
  readonly unexplained: number
  readonly causes: readonly TailCause[]
}

/** Error counts. A round fails unless all of them are zero. */
export interface Faults {
  readonly refused: number
  readonly lost: number
  readonly duplicated: number
  readonly strange: number
  /** Arrived before they were sent: the clocks of two hosts were taken for the same. Missing where there are none. */
  readonly early?: number
}

/** The main threads of generator and receiver have one core each: one that is busy is the limit, not the variant. */
export interface Cores {
  readonly generator: number | null
  readonly receiver: number | null
}

export interface ClockFigures {
  /** To be added to the times of the receiver, before the run. */
  readonly offsetMs: number
  /** By so much it was more after the run. */
  readonly driftMs: number
  /** The offset is off by at most this. */
  readonly errorMs: number
}

/** How far the marks of a run can be trusted. */
export interface MarkFigures {
  readonly units: number
  /** Units that lack one of their marks, and are in no hop. */
  readonly missing: number
  /** Units with a mark before the one that it follows. */
  readonly moved: number
  /** Units whose `written` was noted after they had arrived: `written` is too long then, and `arrived` too short. */
  readonly late: number
}

export interface Round {
  /** Rounds of the same number ran one after the other, variants in turn: compare within a round. */
  readonly round: number
  /** From the send, in microseconds. */
  readonly latency: EncodedHistogram
  /**
   * From the planned time, in microseconds: no coordinated omission. Closed loops: the same as `latency`. Version 2 has
   * `answer` from the moment of the answer.
   */
  readonly fromPlan: EncodedHistogram
  /** Measured units. */
  readonly count: number
  /** Units a second that were completed. In closed loops version 2 left out those that had begun before. */
  readonly perSecond: number
  /** Units that were done, also before anything was measured: what `cpu` is divided by. Version 2 and drills have none. */
  readonly units?: number
  /** For a unit that was done. Version 2 divided by those that were refused as well. */
  readonly cpu: Cpu
  /** Bytes of write-ahead log for one unit; null where no database can be asked. */
  readonly walBytes: number | null
  /** While units were sent. Version 2 has none. */
  readonly cores?: Cores
  /** Only with a receiver on another host. */
  readonly clock?: ClockFigures
  readonly hops?: Hops
  readonly marks?: MarkFigures
  readonly tail?: TailFigures
  readonly profile?: Profile
  /** Cores that processes outside the bench kept busy; null on systems without /proc. */
  readonly others: number | null
  readonly errors: Faults
  /** Other figures of a scenario; the name ends with the unit, such as `memory KiB a socket`. */
  readonly figures?: Readonly<Record<string, number>>
}

export interface Row {
  readonly scenario: string
  readonly variant: Variant
  readonly load: Load
  readonly rounds: readonly Round[]
}

export interface Environment {
  readonly cpu: string
  readonly cores: number
  readonly memoryBytes: number
  readonly kernel: string
  readonly node: string
  readonly postgres: string | null
  readonly redis: string | null
  /** The frequency governor of the first core; null where the kernel shows none. */
  readonly governor: string | null
  /** The load averages of 1, 5 and 15 minutes before the start. */
  readonly load: readonly number[]
}

/** Results of both are read; version 3 is written. */
const versions = [2, 3] as const

export interface Result {
  readonly version: (typeof versions)[number]
  /** ISO 8601. */
  readonly startedAt: string
  /** The commit of the working tree, with `+` when files differ from it; null outside a repository. */
  readonly commit: string | null
  readonly environment: Environment
  readonly options: Readonly<Record<string, unknown>>
  readonly rows: readonly Row[]
}

const folder = fileURLToPath(new URL('../results/', import.meta.url))

export const resultPath = (name: string): string => `${folder}${name}.json`

/** Writes bench/results/<name>.json. Returns its path. */
export function writeResult(name: string, result: Result): string {
  mkdirSync(folder, { recursive: true })
  const path = resultPath(name)
  writeFileSync(path, `${JSON.stringify(result, null, 1)}\n`)
  return path
}

export const removeResult = (name: string): void => rmSync(resultPath(name), { force: true })

/** Throws errors that say what to do. */
export function readResult(path: string): Result {
  if (!existsSync(path))
    throw new Error(`${path} does not exist: run \`npm run bench\` first, or name a result in bench/results`)
  const result = JSON.parse(readFileSync(path, 'utf8')) as Result
  if (!versions.includes(result.version))
    throw new Error(`${path} is not a result of version ${versions.join(' or ')}: measure again`)
  return result
}
