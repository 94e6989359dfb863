// One word a concept: the words that were given up stay out of the names of files, of exports, and of comments.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, test } from '../support/harness.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

interface Retired {
  readonly use: string
  /** Of files and exports. */
  readonly name: RegExp
  /** Missing where the word has another, usual meaning in prose. */
  readonly comment?: RegExp
  /** Where the word is retired; everywhere without it. */
  readonly below?: string
}

const retired: readonly Retired[] = [
  { use: 'CallStep, StepContext', name: /^Turn$/, below: 'src/calls/' },
  { use: 'markMessageRead; GETs are getX, lists listX', name: /^read(Message|Conversation|Campaign|Call)$/ },
  { use: 'CampaignScheduler', name: /CampaignClock|campaign-clock/ },
  {
    use: 'ConnectionPool, AttemptQueue, priority, KeyedSerial, concurrency',
    name: /^lanes?\b|Lanes?$|-lanes?\b/,
    comment: /\blanes?\b/i,
  },
  { use: 'ConcurrencyLimit, NumberRateLimit', name: /^Pace$|^pace\.ts$|^(new|create)Pace$/ },
  {
    use: 'ProcessBudget, Budget, EndpointQuota, Lease, reservedPosts',
    name: /Commons|^Pot(Share)?$|^Stake$|^Seat$|postsOfRight|^commons\b/,
    comment: /\bcommons\b|\bthe pots?\b|\bstakes?\b|\bpostsOfRight\b/i,
  },
  { use: 'MailboxEntry', name: /Letter|^letter\b/ },
  {
    use: 'RoutedMessage, RpcEnvelope, RouteResult',
    name: /^Parcel$|^Hop$|^Envelope$|unheard/,
    comment: /\bparcels?\b|\bhops?\b|\bunheard\b/i,
    // The bench has hops of its own: the parts of a way in time.
    below: 'src/',
  },
  { use: 'deathDetector', name: /obituar/i, comment: /obituar/i },
  {
    use: 'endedBeforeStart, EarlyTerminate',
    name: /entomb|ForetoldEnd|tombstone/i,
    comment: /entomb|foretold|tombstone/i,
  },
  { use: 'saveSdp, sdpSaved, step', name: /^keep$|KeptSession|sessionKept|replyOnceKept/ },
  { use: 'send-ports.ts, number-pump.ts', name: /^(sending|send-campaigns)\.ts$/ },
  { use: 'ProcessContext', name: /Foundation|^foundation\b/, comment: /\bfoundation\b/i },
  { use: 'AuthForm', name: /DoorForm|^door-form\b/ },
  { use: 'WebhookContext', name: /Surroundings|^surroundings\b/, comment: /\bsurroundings\b/i },
  {
    use: 'a feature, or the name of its folder',
    name: /^wiring\b/,
    comment: /\bthe wiring\b|\bdomains?\b(?! name)/i,
  },
  {
    use: 'the reason itself, or a page of this repository',
    name: /^$/,
    comment: /\((architecture|decisions|specification)[ ,]|\b(architecture|decisions) \d|\bINV-\d/i,
  },
]

interface Said {
  readonly where: string
  readonly path: string
  readonly kind: 'name' | 'comment'
  readonly text: string
}

const exported =
  /^export (?:async )?(?:const|let|function\*?|class|interface|type|enum|abstract class) (\w+)/gm
const comment = /^\s*(?:\/\/|\/\*\*?|\*|--)(.*)$|\s\/\/ (.*)$/

/** What a file says in its name, its exports and its comments. Migrations are what they were when they ran. */
function saidIn(path: string, text: string): Said[] {
  const names = [basename(path), ...[...text.matchAll(exported)].map(([, name = '']) => name)]
  const comments = text.split('\n').flatMap((line, index) => {
    const found = comment.exec(line)
    const words = found?.[1] ?? found?.[2]
    return words === undefined
      ? []
      : [{ where: `${path}:${index + 1}`, path, kind: 'comment' as const, text: words }]
  })
  return [...names.map((name) => ({ where: path, path, kind: 'name' as const, text: name })), ...comments]
}

const objections = (said: readonly Said[]): string[] =>
  said.flatMap(({ where, path, kind, text }) =>
    retired
      .filter(({ below }) => below === undefined || path.startsWith(below))
      .filter((word) => word[kind]?.test(text))
      .map(({ use }) => `${where}: "${text.trim()}": use ${use}`),
  )

describe('retired words', () => {
  test('are in no name of a file or an export, and in no comment', () => {
    const said = ['src', 'workers', 'bench', 'test'].flatMap((top) =>
      readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
        .map((name) => join(top, name))
        .filter((path) => /\.(tsx?|lua)$/.test(path) && !path.includes('node_modules'))
        // This list names them.
        .filter((path) => path !== 'test/contract/words.test.ts')
        .flatMap((path) => saidIn(path, readFileSync(join(root, path), 'utf8'))),
    )
    assert.ok(said.length > 6_000, `only ${said.length} names and comments were seen`)
    assert.deepEqual(objections(said), [])
  })

  test('are found where they are planted', () => {
    const text = [
      '// Waits in its lane (architecture 3.9).',
      'export interface Letter {}',
      'const size = 1 // of the commons',
    ].join('\n')
    assert.deepEqual(objections(saidIn('src/campaigns/sending.ts', text)), [
      'src/campaigns/sending.ts: "sending.ts": use send-ports.ts, number-pump.ts',
      'src/campaigns/sending.ts: "Letter": use MailboxEntry',
      'src/campaigns/sending.ts:1: "Waits in its lane (architecture 3.9).": use ConnectionPool, AttemptQueue, priority, KeyedSerial, concurrency',
      'src/campaigns/sending.ts:1: "Waits in its lane (architecture 3.9).": use the reason itself, or a page of this repository',
      'src/campaigns/sending.ts:3: "of the commons": use ProcessBudget, Budget, EndpointQuota, Lease, reservedPosts',
    ])
  })
})
