// What part of the program a gateway spends its time in, from a CPU profile. Pure functions.

/** As V8's inspector writes it. Times in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string }
    readonly children?: readonly number[]
  }[]
  /** Ids of nodes. */
  readonly samples: readonly number[]
  /** Of each sample, the time since the one before. */
  readonly timeDeltas: readonly number[]
}

/** Microseconds a unit by part of the program, the most first. Without waiting, and without the profiler. */
export type Profile = Readonly<Record<string, number>>

export function profileOf(profile: CpuProfile, units: number): Profile {
  const places = placesOf(profile)
  const spent = new Map<string, number>()
  for (const [index, id] of profile.samples.entries()) {
    const place = places.get(id) ?? native
    spent.set(place, (spent.get(place) ?? 0) + (profile.timeDeltas[index] ?? 0) / units)
  }
  spent.delete(waiting)
  spent.delete('node inspector')
  return Object.fromEntries([...spent].sort(([, a], [, b]) => b - a))
}

/** Of several rounds: the mean of each part. */
export function mergedProfiles(profiles: readonly Profile[]): Profile {
  const names = [...new Set(profiles.flatMap((one) => Object.keys(one)))]
  const means = names.map((name): [string, number] => [
    name,
    profiles.reduce((sum, one) => sum + (one[name] ?? 0), 0) / profiles.length,
  ])
  return Object.fromEntries(means.sort(([, a], [, b]) => b - a))
}

const shown = 14
/** Less than this share is said in one with all others. */
const least = 0.01

export const everythingElse = 'everything else'

/** The parts that are worth a name, as a share of the whole, and all others together. */
export function profileShares(profile: Profile): [name: string, us: number, share: number][] {
  const parts = Object.entries(profile)
  const whole = parts.reduce((sum, [, us]) => sum + us, 0)
  const named = parts.slice(0, shown).filter(([, us]) => us >= least * whole)
  const rest = whole - named.reduce((sum, [, us]) => sum + us, 0)
  return [...named, [everythingElse, rest] as const].map(([name, us]) => [name, us, us / whole])
}

const native = 'native'
const waiting = 'waiting'
const ofV8: Readonly<Record<string, string>> = {
  '(idle)': waiting,
  '(garbage collector)': 'garbage collector',
}

/** What has no file, such as a system call, counts for who called it. */
function placesOf({ nodes }: CpuProfile): Map<number, string> {
  const places = new Map<number, string>()
  const callers = new Map<number, number>()
  // Callers come before what they call.
  for (const { id, callFrame, children = [] } of nodes) {
    for (const child of children) callers.set(child, id)
    const own = ofV8[callFrame.functionName] ?? partOf(callFrame.url)
    places.set(id, own ?? places.get(callers.get(id) ?? 0) ?? native)
  }
  return places
}

function partOf(url: string): string | undefined {
  const [, modules] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*\/node_modules\/)/.exec(url) ?? []
  if (modules) return modules
  const [, node] = /^node:(?:internal\/)?([a-z_]+)/.exec(url) ?? []
  if (node) return `node ${/^(net|streams?|stream_.*|tls|_tls.*|js_stream.*)$/.test(node) ? 'sockets' : node}`
  const [, feature, part] = /\/src\/([a-z]+)\/(?:([a-z]+)\/)?[^/]*$/.exec(url) ?? []
  if (feature) return feature === 'platform' && part ? `${feature}/${part}` : feature
  return undefined
}
