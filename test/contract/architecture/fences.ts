// The one list of fences: what may import what.
import type { Source } from './sources.ts'

/** Every file that breaks the fence, with what it imports. */
export type Fence = (sources: readonly Source[]) => string[]

export const features = ['privacy', 'campaigns', 'calls', 'messaging', 'delivery', 'accounts']
const base = ['platform', 'contract', 'shared']

/** The rooms from top to bottom, and what each may import besides itself. A star is everything. */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  test: ['*'],
  bench: ['*'],
  dev: ['*'],
  'main.ts': ['gateway', 'platform', 'shared'],
  workers: ['gateway', ...features, ...base],
  gateway: ['console', 'api', 'provider', ...features, ...base, 'web'],
  // The console has the campaign routes of the API.
  console: ['api', ...features, ...base, 'web'],
  api: [...features, ...base, 'web'],
  provider: [...features, ...base],
  privacy: ['calls', 'messaging', 'delivery', 'accounts', ...base],
  campaigns: ['messaging', 'accounts', ...base],
  calls: ['messaging', 'delivery', 'accounts', ...base],
  messaging: ['delivery', 'accounts', ...base],
  delivery: ['accounts', ...base],
  accounts: base,
  platform: ['contract', 'shared'],
  // They run in browsers: of ours they know the records and what the simulator's stream says, as types.
  'console/web': ['contract', 'web/browser'],
  'simulator/web': ['simulator', 'web/browser'],
  // What all our pages share.
  'web/browser': [],
  simulator: ['shared', 'web'],
  contract: ['shared'],
  web: ['shared'],
  shared: [],
  // To be copied by customers: it knows the API and nothing of ours.
  examples: [],
}

/** The rooms of the platform, from top to bottom. */
const platform: Readonly<Record<string, readonly string[]>> = {
  process: ['config', 'http', 'postgres'],
  observability: ['actors', 'config', 'http', 'postgres'],
  cluster: ['actors', 'http', 'redis'],
  queue: ['redis'],
  blobs: ['config'],
  postgres: ['config'],
  redis: ['actors'],
  http: [],
  actors: [],
  config: [],
}

export function roomOf(path: string): string {
  const [top = '', next = '', third] = path.split('/')
  if (top !== 'src') return top
  if (next === 'web' && third === 'browser') return 'web/browser'
  return third === 'web' ? `${next}/web` : next
}

const platformRoomOf = (path: string): string | undefined =>
  path.startsWith('src/platform/') ? path.split('/')[2] : undefined

/** Where in a feature a file stands. */
function placeOf(path: string): 'module' | 'rules' | 'store' | 'host' | undefined {
  const [, room = '', folder = ''] = path.split('/')
  if (!path.startsWith('src/') || !features.includes(room)) return undefined
  if (path.endsWith('.module.ts')) return 'module'
  if (folder === 'store') return 'store'
  return folder === 'host' || folder === 'outbound' ? 'host' : 'rules'
}

const isPorts = (path: string): boolean => /\/(send-)?ports\.ts$/.test(path)

const broken = (sources: readonly Source[], isBroken: (from: string, to: string) => boolean): string[] =>
  sources.flatMap(({ path, ours }) => ours.filter((to) => isBroken(path, to)).map((to) => `${path} -> ${to}`))

const roomsFence: Fence = (sources) =>
  broken(sources, (from, to) => {
    const [room, target] = [roomOf(from), roomOf(to)]
    const allowed = rooms[room]
    if (!allowed) return true
    return room !== target && !allowed.includes('*') && !allowed.includes(target)
  })

const platformFence: Fence = (sources) =>
  broken(sources, (from, to) => {
    const [room, target] = [platformRoomOf(from), platformRoomOf(to)]
    if (room === undefined || target === undefined || room === target) return false
    return platform[room]?.includes(target) !== true
  })

const forbiddenInside = { rules: ['store', 'host', 'module'], store: ['host', 'module'], host: ['module'] }

/** Rules do no I/O: of their own feature they import rules, of the platform the actors. Only the module knows all parts. */
const featureFence: Fence = (sources) =>
  broken(sources, (from, to) => {
    const place = placeOf(from)
    if (place === undefined || place === 'module') return false
    if (roomOf(from) === roomOf(to)) return forbiddenInside[place].includes(placeOf(to) ?? 'rules')
    return place === 'rules' && ![undefined, 'actors'].includes(platformRoomOf(to))
  })

/** Rules know a feature below through the ports that they declare. */
const portsFence: Fence = (sources) =>
  broken(
    sources,
    (from, to) =>
      placeOf(from) === 'rules' && !isPorts(from) && placeOf(to) !== undefined && roomOf(from) !== roomOf(to),
  )

/** Edges enter a feature by its module and know its rules; they never reach into its rows. */
const edgeFence: Fence = (sources) =>
  broken(sources, (from, to) => {
    const isEdge = ['api', 'console', 'provider'].includes(roomOf(from))
    return isEdge && ['store', 'host'].includes(placeOf(to) ?? '')
  })

const production = /^(workers|src\/(?!dev|simulator|examples))/

const productionFence: Fence = (sources) =>
  broken(
    sources.filter(({ path }) => production.test(path)),
    (_from, to) => /^(test|bench|src\/(dev|simulator|examples))\//.test(to),
  )

const pagesFence: Fence = (sources) =>
  sources
    .filter(({ path }) => /\/web$/.test(roomOf(path)))
    .filter(({ text }) => /^import (?!type )[^\n]*\/(contract\/|views\.ts)/m.test(text))
    .map(({ path }) => path)

/** No file imports itself by way of others, type imports included. */
const circleFence: Fence = (sources) => {
  const imports = new Map(sources.map(({ path, ours }) => [path, ours]))
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path)
    if (start >= 0) circles.push([...way.slice(start), path].join(' -> '))
    if (start >= 0 || done.has(path)) return
    for (const to of imports.get(path) ?? []) visit(to, [...way, path])
    done.add(path)
  }
  for (const { path } of sources) visit(path, [])
  return circles
}

/** The packages of each room; a star is everything. */
const packages: Readonly<Record<string, string>> = {
  'main.ts': '',
  workers: '',
  gateway: 'pino',
  console: 'valibot pino node:*',
  api: 'valibot pino marked node:crypto node:fs @valibot/to-json-schema',
  provider: 'undici valibot pino node:*',
  platform: '*',
  contract: 'valibot',
  shared: 'node:crypto node:events node:perf_hooks node:diagnostics_channel node:util node:zlib',
  'console/web': 'preact preact/hooks @preact/signals lean-qr',
  'simulator/web': 'preact preact/hooks @preact/signals',
  simulator: 'undici valibot pino sdp-transform werift ws @evan/opus node:*',
  web: 'esbuild node:*',
  'web/browser': 'preact',
  examples: 'ws werift @evan/opus node:*',
}

/** The packages of a part of a feature. */
const placePackages = {
  rules: 'valibot node:crypto sdp-transform @zxcvbn-ts/language-common',
  module: 'node:* prom-client pino',
  store: 'node:crypto',
  host: 'undici ws bullmq prom-client pino node:*',
}

/** Packages that few files may import, wherever their room allows more. */
const keepers: Readonly<Record<string, RegExp>> = {
  postgres: /^(src\/platform\/postgres\/|src\/dev\/|test\/|bench\/)/,
  redis: /^(src\/platform\/redis\/|test\/|bench\/)/,
  bullmq: /^(src\/platform\/queue\/|src\/(campaigns|delivery)\/host\/|test\/|bench\/)/,
  ws: /^(src\/delivery\/outbound\/|src\/platform\/cluster\/rpc-socket\.ts$|src\/(simulator|examples)\/|test\/|bench\/)/,
  'uWebSockets.js': /^(src\/platform\/http\/uws\.ts$|test\/|bench\/)/,
  'prom-client': /^(src\/platform\/observability\/|src\/delivery\/|test\/)/,
  aws4fetch: /^src\/platform\/blobs\//,
  esbuild: /^(src\/(web\/bundle|dev\/(compile|packages))\.ts$|test\/)/,
}

const lists = (list: string, name: string): boolean =>
  list
    .split(' ')
    .some((entry) => entry === '*' || entry === name || (entry === 'node:*' && name.startsWith('node:')))

const packagesFence: Fence = (sources) =>
  sources.flatMap((source) => {
    const { path } = source
    const place = placeOf(path)
    const allowed = place ? placePackages[place] : (packages[roomOf(path)] ?? '*')
    return source.packages
      .filter((name) => !lists(allowed, name) || keepers[name]?.test(path) === false)
      .map((name) => `${path} -> ${name}`)
  })

// `uws-limits.ts` reads nothing: it sets what uWebSockets.js reads.
const environmentReaders =
  /^(src\/platform\/config\/config\.ts$|src\/platform\/http\/uws-limits\.ts$|src\/(simulator|examples\/bot)\/main\.ts$|src\/dev\/|test\/|bench\/)/

const environmentFence: Fence = (sources) =>
  sources
    .filter(({ text }) => /\bprocess(\.|\?\.|\[')env\b|'(node:)?process'/.test(text))
    .map(({ path }) => path)
    .filter((path) => !environmentReaders.test(path))

export const fences = {
  'a room imports only the rooms below it that it may': roomsFence,
  'the rooms of the platform have an order of their own': platformFence,
  'in a feature rules do no I/O, and only its module knows all of its parts': featureFence,
  'rules know other features through the ports that they declare': portsFence,
  'edges do not reach into the rows of a feature': edgeFence,
  'production imports no test, bench, simulator or development start': productionFence,
  'pages import nothing but types of what runs in servers': pagesFence,
  'no file imports itself by way of others': circleFence,
  'a package is imported only where it belongs': packagesFence,
  'the environment is read in one place, and by what starts processes': environmentFence,
} satisfies Record<string, Fence>
