import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { referencePage } from '../../src/api/docs/page.ts'
import { openApiDocument } from '../../src/api/openapi/document.ts'
import { table } from '../../src/api/table.ts'
import { eventKinds } from '../../src/contract/events.ts'
import { scopes } from '../../src/contract/scopes.ts'

const document = openApiDocument()
const { html, contentSecurityPolicy } = referencePage(document)

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
    assert.deepEqual(fields, all(/<label for="([^"]+)"/g))
  })

  test('its policy lets in its own style and script, and nothing else', () => {
    const [style = ''] = all(/<style>([\s\S]*?)<\/style>/g)
    const [script = ''] = all(/<script type="module">([\s\S]*?)<\/script>/g)
    assert.ok(style.length > 100 && script.length > 100)
    assert.match(contentSecurityPolicy, /^default-src 'none'; /)
    for (const text of [style, script]) assert.ok(contentSecurityPolicy.includes(hashOf(text)))
    assert.doesNotMatch(contentSecurityPolicy, /unsafe|https?:|\*/)
    assert.doesNotMatch(html, / style=| on[a-z]+=|<script src|<link rel="stylesheet"/)
  })

  test('keeps no key: its script knows no storage', () => {
    assert.doesNotMatch(html, /localStorage|sessionStorage|document\.cookie|indexedDB/)
  })
})
