import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { guideFiles } from '../../src/api/docs/guides.ts'
import { referencePage } from '../../src/api/docs/page.ts'
import { documentationPages } from '../../src/api/docs/pages.ts'
import type { SearchEntry } from '../../src/api/docs/search-index.ts'
import { openApiDocument } from '../../src/api/openapi/document.ts'
import { isOfConsole } from '../../src/api/openapi/error-places.ts'
import { sends } from '../../src/api/openapi/free-form-examples.ts'
import { table } from '../../src/api/table.ts'
import { type ErrorCode, errorCatalog } from '../../src/contract/errors.ts'
import { eventKinds } from '../../src/contract/events.ts'
import { scopes } from '../../src/contract/scopes.ts'
import { describe, test } from '../support/harness.ts'
import { request } from '../unit/platform/http/requests.ts'

const document = openApiDocument()
const { html, contentSecurityPolicy } = referencePage(document, { title: 'Guides', entries: [] })

const all = (pattern: RegExp): string[] => [...html.matchAll(pattern)].map((match) => match[1] ?? '')

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

describe('the reference page', () => {
  test('has a section for every operation, event, record, error and scope', () => {
    const ids = new Set(all(/ id="([^"]+)"/g))
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
    assert.equal(operations.length, table.length)
    const events = eventKinds.map((kind) => document.webhooks[kind]?.post)
    for (const operation of [...operations, ...events])
      assert.ok(ids.has(String(operation?.['operationId'])), String(operation?.['operationId']))
    for (const code of Object.keys(document['x-errors'] as object)) assert.ok(ids.has(`error-${code}`), code)
    for (const scope of scopes) assert.ok(html.includes(`<code>${scope}</code>`), scope)
  })

  test('no id is there twice, and every link inside leads somewhere', () => {
    const ids = all(/ id="([^"]+)"/g)
    assert.equal(new Set(ids).size, ids.length)
    const links = all(/href="#([^"]+)"/g)
    assert.ok(links.length > 100)
    assert.deepEqual(
      [...new Set(links)].filter((link) => !ids.includes(link)),
      [],
    )
  })

  test('headings step down one level at a time, and every field has a label', () => {
    const levels = all(/<h([1-6])[ >]/g).map(Number)
    const main = levels.slice(levels.indexOf(1))
    main.forEach((level, index) => {
      assert.ok(index === 0 || level <= (main[index - 1] ?? 0) + 1, `heading ${index}`)
    })
    assert.equal(levels.filter((level) => level === 1).length, 1)
    const fields = all(/<(?:input|textarea) id="([^"]+)"/g)
    assert.ok(fields.length > table.length)
    assert.deepEqual(fields.toSorted(), all(/<label for="([^"]+)"/g).toSorted())
  })

  test('the paths of its examples have no gaps, and the form of an upload takes a file', () => {
    const paths = all(/\$API(\/[^&"]*)/g)
    assert.ok(paths.length >= table.length)
    assert.deepEqual(
      paths.filter((path) => path.includes('//') || path.endsWith('/')),
      [],
    )
    assert.deepEqual(all(/<input id="([^"]+)" name="file" type="file"/g), ['uploadMedia-file'])
  })

  test('an operation with several examples shows each, and begins with the first', () => {
    const [, send = ''] = html.split('<section id="sendMessage"')
    const [section = ''] = send.split('</section>')
    for (const name of ['A template', ...Object.keys(sends)])
      assert.ok(section.includes(`<summary>Example: ${name}</summary>`), name)
    assert.match(section, /-d '\{[\s\S]*order_ready[\s\S]*<form/)
    assert.match(section, /<textarea[^>]*>\{[\s\S]*order_ready/)
  })

  test('its policy lets in its own style and script, and nothing else', () => {
    const [style = ''] = all(/<style>([\s\S]*?)<\/style>/g)
    const scripts = all(/<script(?: type="module")?>([\s\S]*?)<\/script>/g)
    assert.equal(scripts.length, 3)
    assert.ok([style, ...scripts].every(({ length }) => length > 100))
    assert.match(contentSecurityPolicy, /^default-src 'none'; /)
    for (const text of [style, ...scripts]) assert.ok(contentSecurityPolicy.includes(hashOf(text)))
    assert.doesNotMatch(contentSecurityPolicy, /unsafe|https?:|\*/)
    assert.doesNotMatch(html, / style=| on[a-z]+=|<script src|<link rel="stylesheet"/)
  })

  test('keeps no key: its scripts store nothing, and read the theme alone', () => {
    assert.deepEqual(all(/(localStorage[^\n]*)/g), ["localStorage.getItem('switchboard.theme')"])
    assert.doesNotMatch(html, /sessionStorage|document\.cookie|indexedDB/)
  })
})

const pages = documentationPages()

interface Page {
  readonly type: string
  readonly policy: string
  readonly text: string
  readonly ids: readonly string[]
}

const read = new Map<string, Promise<Page>>()

/** Each page is read once: thousands of links lead to a hundred of them. */
function get(path: string): Promise<Page> {
  const page = read.get(path) ?? readPage(path)
  read.set(path, page)
  return page
}

async function readPage(path: string): Promise<Page> {
  const response = await pages[path]?.(request({ url: path }))
  assert.equal(response?.status, 200, path)
  const text = Buffer.from(response?.body as Uint8Array).toString()
  return {
    type: String(response?.headers?.['content-type']),
    policy: String(response?.headers?.['content-security-policy']),
    text,
    ids: [...text.matchAll(/ id="([^"]+)"/g)].map((match) => match[1] ?? ''),
  }
}

describe('the documentation', () => {
  const texts = [
    ...Object.keys(guideFiles).map((slug) => `/docs/${slug}`),
    ...Object.keys(errorCatalog).map((code) => `/docs/errors/${code}`),
  ]

  test('has every guide and every error code as a page and as Markdown', async () => {
    for (const path of texts) {
      const page = await get(path)
      assert.match(page.type, /^text\/html/)
      const plain = await get(`${path}.md`)
      assert.match(plain.type, /^text\/markdown/)
      const title = /^# (.+)$/m.exec(plain.text)?.[1] ?? assert.fail(path)
      assert.ok(page.text.includes(`>${title}</h1>`), `${path} begins with ${title}`)
      assert.doesNotMatch(plain.text, /^## (Inside|Decisions)$|<!--|\]\(\.\.?\//m, `${path} is for readers`)
    }
    const whole = (await get('/docs.md')).text
    for (const { method, path } of table)
      assert.ok(whole.includes(`### ${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`), path)
  })

  test('the page of an error code lists every route that answers with it, and no other', async () => {
    const routesOn = async (code: ErrorCode) =>
      [...(await get(`/docs/errors/${code}.md`)).text.matchAll(/^- `(\w+) \/api\/v1(\S+)`:/gm)].map(
        ([, method, path]) => `${method} ${path}`,
      )
    assert.deepEqual(await routesOn('BODY_TOO_SLOW'), ['POST /campaigns/:id/recipients', 'POST /media'])
    const withBody = table.filter(({ body, errors }) => body ?? errors.includes('MALFORMED_JSON'))
    assert.equal((await routesOn('MALFORMED_JSON')).length, withBody.length)
    for (const code of ['OVERLOADED', 'VALIDATION_ERROR', 'RATE_LIMITED'])
      assert.match((await get(`/docs/errors/${code}.md`)).text, /^Any route can answer with it\.$/m)
  })

  test('the codes of the console alone are these, and their pages say so', async () => {
    const ofConsole = (Object.keys(errorCatalog) as ErrorCode[]).filter(isOfConsole)
    assert.deepEqual(ofConsole.toSorted(), [
      'ADDRESS_NOT_ALLOWED',
      'CONFIRMATION_REQUIRED',
      'IN_USE',
      'SECOND_FACTOR_REQUIRED',
      'SESSION_EXPIRED',
    ])
    for (const code of ofConsole) {
      assert.match((await get(`/docs/errors/${code}.md`)).text, /^Only the console answers with it/m)
      assert.match(errorCatalog[code].meaning, /^Console: /)
      assert.ok(!(code in (document['x-errors'] as object)), code)
    }
  })

  test('each link leads to a page, and each anchor to a heading of it', async () => {
    const isThere = async (href: string, from: string): Promise<boolean> => {
      const [to = '', anchor] = href.split('#')
      const target = to === '' ? from : to
      return target in pages && (anchor === undefined || (await get(target)).ids.includes(anchor))
    }
    for (const path of ['/docs', ...texts]) {
      const { text } = await get(path)
      for (const [, href = ''] of text.matchAll(/<a [^>]*href="((?:\/docs|\/openapi|\/llms|#)[^"]*)"/g))
        assert.ok(await isThere(href, path), `${path}: ${href}`)
    }
  })

  test('no id is on a page twice, and its policy names each of its scripts', async () => {
    for (const path of texts) {
      const { text, ids, policy } = await get(path)
      assert.equal(new Set(ids).size, ids.length, path)
      for (const [, script = ''] of text.matchAll(/<script type="module">([\s\S]*?)<\/script>/g))
        assert.ok(policy.includes(hashOf(script)), path)
    }
  })

  test('the search knows every section, route, event and error, and its links lead there', async () => {
    const entries = JSON.parse((await get('/docs/search.json')).text) as SearchEntry[]
    const find = (word: string) =>
      entries.filter(({ words }) => words.split(' ').includes(word)).map(({ href }) => href)
    assert.ok(find('x-communication-delivery').some((href) => href.startsWith('/docs/receive')))
    assert.ok(find('idempotency_key_reused').includes('/docs/errors/IDEMPOTENCY_KEY_REUSED'))
    assert.ok(find('call.ringing').some((href) => href.startsWith('/docs#')))
    for (const { href, title } of entries) {
      const [path = '', anchor] = href.split('#')
      assert.ok(anchor === undefined || (await get(path)).ids.includes(anchor), `${title}: ${href}`)
    }
  })

  test('llms.txt lists what there is', async () => {
    const { text } = await get('/llms.txt')
    const links = [...text.matchAll(/\]\((\/[^)]+)\)/g)].map((match) => match[1] ?? '')
    assert.ok(links.length > texts.length)
    assert.deepEqual(
      links.filter((link) => !(link in pages)),
      [],
    )
  })
})
