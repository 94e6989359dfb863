import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { bundleConsole } from '../../src/console/assets/bundle.ts'
import { fontLicence, fontOrigin } from '../../src/dev/font.ts'
import { type Bundle, staticImports } from '../../src/web/bundle.ts'
import { sharedFiles } from '../../src/web/shared-files.ts'
import { before, describe, test } from '../support/harness.ts'

const BUDGET = 60 * 1024
const FONT_BUDGET = 40 * 1024

describe('the size of the console', () => {
  let bundle: Bundle
  const nameOf = (source: string): string => {
    const [name] = Object.entries(bundle.outputs).find(([, { entryPoint }]) => entryPoint === source) ?? []
    assert.ok(name, `${source} is no entry`)
    return name
  }
  const gzipOf = (names: Iterable<string>): number => {
    const wanted = new Set(names)
    return bundle.files
      .filter(({ name }) => wanted.has(name))
      .reduce((sum, { gzip }) => sum + gzip.byteLength, 0)
  }

  before(async () => {
    bundle = await bundleConsole({ thorough: false })
  })

  test('the first load of every page, with styles and charts, is at most 60 KiB compressed by gzip', (t) => {
    const frame = ['index.html', ...['theme-boot.ts', 'styles/index.css', 'main.tsx'].map(nameOf)]
    const main = nameOf('main.tsx')
    const pages = Object.entries(bundle.outputs).filter(([, { entryPoint }]) =>
      entryPoint?.startsWith('pages/'),
    )
    assert.ok(pages.length >= 13, `only ${pages.length} pages were seen`)
    for (const [name, { entryPoint }] of pages) {
      const bytes = gzipOf([
        ...frame,
        ...staticImports(bundle.outputs, main),
        ...staticImports(bundle.outputs, name),
      ])
      t.diagnostic(`${entryPoint}: ${(bytes / 1024).toFixed(1)} KiB`)
      assert.ok(bytes <= BUDGET, `${entryPoint} takes ${bytes} bytes, ${bytes - BUDGET} too many`)
    }
  })

  test('the font is at most 40 KiB, and was cut from the source and by the recipe that are here', async (t) => {
    const font = (await sharedFiles()).find(({ name }) => name.endsWith('.woff2'))
    const size = font?.bytes.byteLength ?? Number.POSITIVE_INFINITY
    t.diagnostic(`${(size / 1024).toFixed(1)} KiB`)
    assert.ok(size <= FONT_BUDGET, `${size} bytes`)
    const beside = (name: string) => readFileSync(new URL(`../../src/web/font/${name}`, import.meta.url))
    assert.equal(beside('made-of.txt').toString().trim(), await fontOrigin(), 'npm run font')
    assert.deepEqual(beside('LICENSE.txt'), Buffer.from(await fontLicence()))
  })

  test('nothing inline is in the page, and every file that it names is there', () => {
    const index = bundle.files.find(({ name }) => name === 'index.html')
    const html = Buffer.from(index?.bytes ?? []).toString('utf8')
    assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/)
    const named = [...html.matchAll(/"\/console\/assets\/([^"]+)"/g)].map((match) => match[1])
    assert.ok(named.length >= 4)
    for (const name of named)
      assert.ok(
        bundle.files.some((file) => file.name === name),
        name,
      )
  })
})
