import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))

const domains = 'auth messages conversations templates numbers calls campaigns webhooks'
const domain = { folders: 'contract actors shared', packages: 'valibot node:crypto' }
const edge = { folders: `http ${domains} contract shared`, packages: 'valibot pino node:crypto' }
const adapter = `${domains} contract shared config`
const anything = { folders: '*', packages: '*' }

/** What each folder of src, and each folder beside it, may import besides itself; a star is everything. */
const fences: Readonly<Record<string, { readonly folders: string; readonly packages: string }>> = {
  shared: { folders: '', packages: 'node:crypto node:perf_hooks' },
  contract: { folders: 'shared', packages: 'valibot' },
  config: { folders: 'shared', packages: 'valibot' },
  actors: { folders: 'shared', packages: '' },
  ...Object.fromEntries(domains.split(' ').map((name) => [name, domain])),
  calls: { ...domain, packages: `${domain.packages} sdp-transform` },
  store: { folders: adapter, packages: 'postgres node:*' },
  redis: { folders: `${adapter} actors`, packages: 'redis node:*' },
  blobs: { folders: adapter, packages: 'aws4fetch undici node:*' },
  queue: { folders: `${adapter} redis`, packages: 'bullmq redis pino' },
  provider: { folders: adapter, packages: 'undici valibot pino node:*' },
  outbound: { folders: adapter, packages: 'undici ws node:*' },
  cluster: { folders: 'redis actors contract shared config http', packages: 'undici node:*' },
  http: { folders: 'contract shared', packages: 'uWebSockets.js valibot pino node:*' },
  api: { ...edge, packages: `${edge.packages} @valibot/to-json-schema node:fs` },
  ingest: edge,
  // What pages of any process need: bundling, headers, styles.
  web: { folders: '', packages: 'esbuild node:*' },
  console: { ...edge, folders: `${edge.folders} web`, packages: `${edge.packages} node:*` },
  // It runs in browsers: of ours it knows the records, as types.
  'console/web': { folders: 'contract', packages: 'preact preact/hooks @preact/signals uplot lean-qr' },
  simulator: {
    folders: 'shared web',
    packages: 'undici valibot pino sdp-transform werift ws @evan/opus node:*',
  },
  // It runs in browsers: of the simulator it knows what its stream says, as types.
  'simulator/web': { folders: 'simulator', packages: 'preact preact/hooks @preact/signals' },
  // To be copied as it is: it knows the API and nothing of ours.
  examples: { folders: '', packages: 'ws werift @evan/opus node:*' },
  'main.ts': { folders: 'config wiring', packages: '' },
  wiring: anything,
  dev: anything,
  workers: anything,
  bench: anything,
  test: anything,
}

/** Where one file of a folder is meant, or several folders that may import everything else. */
const keepers: Readonly<Record<string, RegExp>> = {
  postgres: /^(src\/(store|wiring|dev)|test|bench)\//,
  redis: /^(src\/(redis|wiring|queue)|test|bench)\//,
  bullmq: /^(src\/(queue|wiring)|workers|test|bench)\//,
  ws: /^(src\/(outbound|simulator|examples)|test|bench)\//,
  'uWebSockets.js': /^(src\/http\/uws\.ts$|test\/|bench\/)/,
  werift: /^(src\/(simulator|examples)|test|bench)\//,
  esbuild: /^(src\/web\/bundle\.ts$|test\/browser\/|test\/support\/compiled\.ts$)/,
  '@evan/opus': /^(src\/(simulator|examples)|test)\//,
}

const environmentReaders =
  /^(src\/config\/config\.ts$|src\/(simulator|examples\/bot)\/main\.ts$|src\/dev\/|test\/|bench\/)/

interface Source {
  readonly path: string
  readonly text: string
  /** Paths from the root, for what is ours. */
  readonly ours: readonly string[]
  readonly packages: readonly string[]
}

const importing = /^(?:import|export)\s[^'"()=;]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\(\s*'([^']+)'/gm

function read(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8')
  const names = [...text.matchAll(importing)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
  const isOurs = (name: string) => name.startsWith('.')
  return {
    path,
    text,
    ours: names.filter(isOurs).map((name) => normalize(join(dirname(path), name))),
    packages: names.filter((name) => !isOurs(name)),
  }
}

const folderOf = (path: string): string => {
  const [top = '', next = ''] = path.split('/')
  if (path.startsWith('src/console/web/')) return 'console/web'
  if (path.startsWith('src/simulator/web/')) return 'simulator/web'
  return top === 'src' ? next : top
}

const allows = (list: string, name: string): boolean =>
  list
    .split(' ')
    .some((entry) => entry === '*' || entry === name || (entry === 'node:*' && /^node:/.test(name)))

describe('what may import what', () => {
  let sources: readonly Source[] = []

  before(() => {
    sources = ['src', 'workers', 'bench', 'test'].flatMap((top) =>
      readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name))
        .map((name) => read(join(top, name))),
    )
  })

  test('is judged on all of the code', () => {
    const imports = sources.reduce((sum, { ours, packages }) => sum + ours.length + packages.length, 0)
    assert.ok(sources.length >= 480, `only ${sources.length} files were seen`)
    assert.ok(imports >= 2_000, `only ${imports} imports were seen`)
    for (const { path } of sources) assert.ok(folderOf(path) in fences, `${path}: its folder has no fence`)
  })

  test('a folder imports only the folders it may, types included', () => {
    const broken = sources.flatMap(({ path, ours }) => {
      const from = folderOf(path)
      const isOutside = (to: string) => to !== from && !allows(fences[from]?.folders ?? '', to)
      return ours.filter((target) => isOutside(folderOf(target))).map((target) => `${path} -> ${target}`)
    })
    assert.deepEqual(broken, [])
  })

  test('pages import nothing of what runs in servers but types', () => {
    const pages = sources.filter(({ path }) => /^(console|simulator)\/web$/.test(folderOf(path)))
    assert.ok(pages.length >= 50, `only ${pages.length} files were seen`)
    const broken = pages.filter(({ text }) => /^import (?!type )[^\n]*\/(contract\/|views\.ts)/m.test(text))
    assert.deepEqual(
      broken.map(({ path }) => path),
      [],
    )
  })

  test('nothing that runs in production imports a test, a bench, the simulator or the development start', () => {
    // Only what dev.json says is read, by the command that makes operators.
    const known = 'src/wiring/operator-main.ts -> src/dev/demo.ts'
    const broken = sources
      .filter(({ path }) => !/^(test|bench|src\/(dev|simulator))\//.test(path))
      .flatMap(({ path, ours }) =>
        ours
          .filter(
            (to) =>
              /^(test|bench|src\/(dev|simulator|examples))\//.test(to) && folderOf(to) !== folderOf(path),
          )
          .map((to) => `${path} -> ${to}`),
      )
    assert.deepEqual(broken, [known])
  })

  test('a package is imported only where it belongs', () => {
    const broken = sources.flatMap(({ path, packages }) =>
      packages
        .filter(
          (name) =>
            !allows(fences[folderOf(path)]?.packages ?? '', name) || keepers[name]?.test(path) === false,
        )
        .map((name) => `${path} -> ${name}`),
    )
    assert.deepEqual(broken, [])
  })

  test('the environment is read in one place, and by what starts processes', () => {
    const readers = sources.filter(({ text }) => /\bprocess(\.|\?\.|\[')env\b|'(node:)?process'/.test(text))
    assert.ok(readers.length > 0)
    assert.deepEqual(
      readers.map(({ path }) => path).filter((path) => !environmentReaders.test(path)),
      [],
    )
  })
})
