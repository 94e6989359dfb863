// The pages of the repository: links and paths lead somewhere, sizes are kept, and readers find the answers to their
// questions.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { guideFiles } from '../../src/api/docs/guides.ts'
import { describe, test } from '../support/harness.ts'
import { type Page, readPages } from '../support/pages.ts'
import { root } from './architecture/sources.ts'

interface Repository {
  readonly pages: readonly Page[]
  readonly scripts: readonly string[]
  exists(path: string): boolean
}
/** What is wrong, one line each. */
type Check = (repository: Repository) => string[]

const guides = new Set(Object.values(guideFiles).map((path) => `src/${path}`))
/** The tests write it. */
const written = ['test/artifacts']

const prose = (text: string): string => text.replace(/^```.*?^```$/gms, '')
const headingsOf = (text: string) =>
  [...prose(text).matchAll(/^(#+) (.+)$/gm)].map(([line, marks = '', title = '']) => ({ line, marks, title }))
/** The anchor that GitHub gives a heading. */
const slugOf = (title: string): string =>
  title
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
    .replaceAll(' ', '-')
const slugsOf = ({ text }: Page): string[] => headingsOf(text).map(({ title }) => slugOf(title))
const linksOf = (text: string): string[] =>
  [
    ...prose(text)
      .replace(/`[^`]*`/g, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ].map(([, link = '']) => link)
const pathsOf = (text: string): string[] =>
  [...prose(text).matchAll(/`((?:src|test|workers|bench)\/[^`\s]*)`/g)].map(([, path = '']) => path)
const isRelative = (link: string): boolean => !/^(https?:|#|\/)/.test(link)
const targetOf = (page: Page, link: string): string =>
  link.startsWith('#') ? page.path : normalize(join(dirname(page.path), link.split('#')[0] ?? ''))
const bytes = (text: string): number => Buffer.byteLength(text)

const limitOf = (path: string): number =>
  ({
    'README.md': 10_000,
    'src/platform/README.md': 32_768,
    // It grows with every release.
    'src/api/guides/release-notes.md': 131_072,
  })[path] ?? 20_480

const checks: Readonly<Record<string, Check>> = {
  links: ({ pages, exists }) =>
    pages.flatMap((page) =>
      linksOf(page.text)
        .filter((link) => {
          if (/^https?:/.test(link)) return false
          if (link.startsWith('/')) return !/^\/(docs|openapi\.json|console)$/.test(link)
          const [, anchor] = link.split('#')
          const target = targetOf(page, link)
          const there = pages.find(({ path }) => path === target)
          if (anchor !== undefined) return !there || !slugsOf(there).includes(anchor)
          return !there && !exists(target)
        })
        .map((link) => `${page.path} links to ${link}`),
    ),
  paths: ({ pages, exists }) =>
    pages.flatMap(({ path, text }) =>
      pathsOf(text)
        .filter((name) => !/[*<{]/.test(name) && !written.includes(name) && !exists(name))
        .map((name) => `${path} names ${name}`),
    ),
  sizes: ({ pages }) =>
    pages
      .filter(({ path, text }) => bytes(text) >= limitOf(path))
      .map(({ path, text }) => `${path} has ${bytes(text)} bytes`),
  headings: ({ pages }) =>
    pages.flatMap((page) =>
      slugsOf(page)
        .filter((slug, index, all) => all.indexOf(slug) !== index)
        .map((slug) => `${page.path} has #${slug} twice`),
    ),
  tables: ({ pages }) =>
    pages.flatMap(({ path, text }) => rowsWithoutHead(text).map((row) => `${path}: ${row}`)),
  guides: ({ pages }) =>
    pages
      .filter(({ path }) => guides.has(path))
      .flatMap((page) => {
        const [shown = ''] = page.text.split(/^## Inside$/m)
        const links = linksOf(shown).filter((link) => isRelative(link) && !guides.has(targetOf(page, link)))
        return [...links, ...pathsOf(shown)].map((name) => `${page.path} shows customers ${name}`)
      }),
  'the front door': ({ pages }) => {
    const door = pages.find(({ path }) => path === 'README.md') ?? { path: 'README.md', text: '' }
    const linked = linksOf(door.text).map((link) => targetOf(door, link))
    return pages.filter((page) => page !== door && !linked.includes(page.path)).map(({ path }) => path)
  },
  scripts: ({ pages, scripts }) =>
    pages.flatMap(({ path, text }) =>
      [...text.matchAll(/\bnpm (?:run (?:-s )?([\w:]+)|(start|test)\b)/g)]
        .map(([, run, own]) => run ?? own ?? '')
        .filter((name) => !scripts.includes(name))
        .map((name) => `${path} names npm run ${name}`),
    ),
  questions: ({ pages }) =>
    questions
      .filter(({ page, heading }) => !sectionOf(pages.find(({ path }) => path === page)?.text ?? '', heading))
      .map(({ question, page, heading }) => `${question} ${page} has nothing under "${heading}"`),
}

/** The first row of each block of rows that does not begin with a head and a line of dashes: Markdown shows it as text. */
function rowsWithoutHead(text: string): string[] {
  const lines = prose(text).split('\n')
  const isRow = (line: string | undefined): boolean => line?.startsWith('|') ?? false
  return lines.filter(
    (line, index) =>
      isRow(line) && !isRow(lines[index - 1]) && !/^\|(\s*:?-+:?\s*\|)+$/.test(lines[index + 1] ?? ''),
  )
}

/** The text under a heading, with what stands under lower headings. */
function sectionOf(text: string, heading: string): string {
  const found = headingsOf(text).find(({ title }) => title === heading)
  if (!found) return ''
  const [, after = ''] = text.split(`${found.line}\n`)
  return (after.split(new RegExp(`^#{1,${found.marks.length}} `, 'm'))[0] ?? '').trim()
}

const question = (ask: string, page: string, heading: string) => ({ question: ask, page, heading })
const questions = [
  question('How do I send a first message?', 'README.md', 'First send'),
  question('How do I receive a first event?', 'README.md', 'First event'),
  question('Where is the retry schedule?', 'src/delivery/README.md', 'Retry schedule'),
  question('How do I verify a signature?', 'src/delivery/README.md', 'Verify a delivery over HTTPS'),
  question('How do I rotate the secret of an endpoint?', 'src/delivery/README.md', 'Secret rotation'),
  question('How do I rotate SECRETS_KEY?', 'src/platform/README.md', 'Secrets and their rotation'),
  question('How do I answer a call?', 'src/calls/README.md', 'Answer, decline, hang up'),
  question('What are the variables of a carousel called?', 'src/api/guides/templates.md', 'Carousels'),
  question('What do the statuses of a message mean?', 'src/messaging/README.md', 'Statuses of a message'),
  question('How do I pause a campaign?', 'src/campaigns/README.md', 'Start, schedule, pause, cancel'),
  question('Which errors may I retry?', 'src/api/guides/errors.md', 'What to retry'),
  question('Which scopes are there?', 'src/accounts/README.md', 'Scopes'),
  question('Where are the limits?', 'src/platform/README.md', 'Limits'),
  question('What happens when Redis restarts?', 'src/platform/README.md', 'When Redis restarts'),
  question('What happens when Postgres restarts?', 'src/platform/README.md', 'When Postgres restarts'),
  question('What happens when a gateway dies?', 'src/README.md', 'What fails, and what happens'),
  question('How do I deploy?', 'src/platform/README.md', 'Deploying and draining'),
  question('What may import what?', 'src/README.md', 'Rooms and the order of imports'),
  question('How do I add a webhook event?', 'test/README.md', 'An event'),
  question('How do I add a setting?', 'test/README.md', 'A setting'),
  question('How do I add a migration?', 'test/README.md', 'A migration'),
  question('How do I add a route?', 'src/api/README.md', 'Adding a route'),
  question('How do I add a page of the console?', 'src/console/web/README.md', 'Add a page'),
  question('How fast is it?', 'bench/README.md', 'Speed'),
  question('What was measured?', 'bench/results/README.md', 'Results'),
]

describe('the pages', () => {
  const repository: Repository = {
    pages: readPages(),
    scripts: Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts),
    exists: (path) => existsSync(join(root, path)),
  }
  for (const [name, check] of Object.entries(checks))
    test(`${name}: nothing is wrong`, () => assert.deepEqual(check(repository), []))
  test('were all seen', () => {
    assert.ok(repository.pages.length >= 20)
    assert.ok(repository.pages.flatMap(({ text }) => linksOf(text)).length > 200)
    assert.deepEqual(
      [...guides].filter((path) => !repository.pages.some((page) => page.path === path)),
      [],
    )
  })
})

describe('a wrong page is found', () => {
  const guide = 'src/calls/README.md'
  const found = (check: string, ...pages: Page[]): string[] =>
    checks[check]?.({ pages, scripts: ['start'], exists: (path) => path === 'src/calls/call.actor.ts' }) ?? []
  const onGuide = (check: string, text: string): string[] => found(check, { path: guide, text })

  test('links', () => {
    const text =
      '# A `b`: c\n[1](call.actor.ts) [2](#a-b-c) [3](gone.ts) [4](#d) [5](/docs) [6](/gone)\n```\n[7](x)\n```\n'
    assert.deepEqual(
      onGuide('links', text),
      ['gone.ts', '#d', '/gone'].map((link) => `${guide} links to ${link}`),
    )
  })
  test('paths', () => {
    const text = '`src/calls/call.actor.ts` `src/*.ts` `test/<name>.ts` `bench/gone.ts`'
    assert.deepEqual(onGuide('paths', text), [`${guide} names bench/gone.ts`])
  })
  test('sizes', () => {
    const sized = (path: string, size: number) => ({ path, text: 'x'.repeat(size) })
    const right = [sized('README.md', 9_999), sized(guide, 20_479), sized('src/platform/README.md', 32_767)]
    assert.deepEqual(found('sizes', ...right), [])
    assert.equal(found('sizes', ...right.map(({ path, text }) => sized(path, text.length + 1))).length, 3)
  })
  test('headings', () =>
    assert.deepEqual(onGuide('headings', '# A\n## B\n### b\n```sh\n# A\n```\n'), [`${guide} has #b twice`]))
  test('tables', () => {
    const text = '| a | b |\n|---|---|\n| 1 | 2 |\n\n| 3 | 4 |\n| 5 | 6 |\n```\n| no | table |\n```\n'
    assert.deepEqual(onGuide('tables', text), [`${guide}: | 3 | 4 |`])
  })
  test('guides', () => {
    const text = '[1](../delivery/README.md#x) [2](call.actor.ts) `src/calls`\n## Inside\n[3](call.actor.ts)'
    assert.deepEqual(onGuide('guides', text), [
      `${guide} shows customers call.actor.ts`,
      `${guide} shows customers src/calls`,
    ])
  })
  test('the front door', () => {
    const door = (text: string) =>
      found('the front door', { path: 'README.md', text }, { path: guide, text: '' })
    assert.deepEqual([door(`[1](${guide})`), door('')], [[], [guide]])
  })
  test('scripts', () =>
    assert.deepEqual(onGuide('scripts', 'npm start; npm run gone'), [`${guide} names npm run gone`]))
  test('questions', () => {
    const asked = (text: string) =>
      onGuide('questions', text).filter((line) => line.includes('answer a call'))
    assert.equal(asked('## Answer, decline, hang up\n\n## Next\nText').length, 1)
    assert.equal(asked('## Answer, decline, hang up\n### So\nText').length, 0)
  })
})
