// UI parts and the live client in isolation. The test plays the server of the live feed with its exact
// protocol, so that it decides when gaps and endings occur.
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import type { Browser, Page, WebSocketRoute } from 'playwright-core'
import { eventually } from '../e2e/scene.ts'
import { after, before, describe, test } from '../support/harness.ts'
import { assertAccessible, screenshot, sharedBrowser } from './scene.ts'

const folder = fileURLToPath(new URL('../../src/console/web/', import.meta.url))
const gallery = fileURLToPath(new URL('./gallery/main.tsx', import.meta.url))
const address = 'http://gallery.test/console/wsp_1/parts'
const html = `<!doctype html><html lang="en"><title>Parts</title><link rel="stylesheet" href="/index.css">
<div id="app"></div><script src="/main.js"></script></html>`

describe('the parts', () => {
  let browser: Browser
  let files: ReadonlyMap<string, string>
  /** Opened sockets, each with the lists of topics received over it. */
  let sockets: { readonly socket: WebSocketRoute; readonly lists: string[][] }[] = []

  before(async () => {
    const { outputFiles } = await build({
      entryPoints: { main: gallery, index: `${folder}styles/index.css` },
      ...{
        bundle: true,
        write: false,
        outdir: '/',
        jsx: 'automatic',
        jsxImportSource: 'preact',
        external: ['*.woff2'],
      },
    })
    files = new Map(outputFiles.map(({ path, text }) => [path, text]))
    browser = await sharedBrowser()
  })
  after(() => Promise.all(browser?.contexts().map((context) => context.close()) ?? []))

  async function open(colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
    sockets = []
    const page = await browser.newPage({
      colorScheme,
      reducedMotion: 'reduce',
      viewport: { width: 800, height: 640 },
    })
    await page.route('http://gallery.test/**', (route) => {
      const { pathname } = new URL(route.request().url())
      const contentType = pathname.endsWith('.css') ? 'text/css' : 'text/javascript'
      const file = files.get(pathname)
      return route.fulfill(
        file === undefined ? { contentType: 'text/html', body: html } : { contentType, body: file },
      )
    })
    await page.routeWebSocket(/\/console\/live\?workspace=wsp_1$/, (socket) => {
      const lists: string[][] = []
      sockets.push({ socket, lists })
      socket.onMessage((text) => lists.push(JSON.parse(String(text)).subscribe))
    })
    await page.goto(address)
    await subscribed(1)
    return page
  }

  const nth = (index: number) => {
    const found = sockets[index - 1]
    assert.ok(found, `there is no socket ${index}`)
    return found
  }
  const subscribed = (index: number, times = 1) =>
    eventually('both topics are asked for', async () => {
      const lists = sockets[index - 1]?.lists ?? []
      return lists.length >= times && lists.at(-1)?.toSorted().join() === 'calls,overview'
    })
  const send = (index: number, frame: object) => nth(index).socket.send(JSON.stringify(frame))
  const perMinute = Array.from({ length: 60 }, (_, minute) => Math.round(20 + 15 * Math.sin(minute / 6)))
  const snapshot = (live: number, seq: number) => ({
    topic: 'overview',
    seq,
    snapshot: { calls: { live }, messages: { perMinute } },
  })
  const live = (page: Page, value: number) =>
    page.getByRole('status', { name: 'Live calls' }).getByText(String(value), { exact: true }).waitFor()

  test('a snapshot is shown, deltas change it, and lists change record by record', async () => {
    const page = await open()
    send(1, snapshot(2, 1))
    await live(page, 2)
    send(1, { topic: 'overview', seq: 2, delta: { calls: { live: 3 } } })
    await live(page, 3)
    const [one, two, three] = ['call_1', 'call_2', 'call_3'].map((id) => ({ id, status: 'RINGING' }))
    send(1, { topic: 'calls', seq: 7, snapshot: { items: [two, one] } })
    const delta = { items: { upsert: [three, { id: 'call_1', status: 'ACCEPTED' }], remove: ['call_2'] } }
    send(1, { topic: 'calls', seq: 8, delta })
    const items = page.getByRole('list', { name: 'Calls' }).getByRole('listitem')
    await items.filter({ hasText: 'ACCEPTED' }).waitFor()
    assert.deepEqual(await items.allInnerTexts(), ['call_3 RINGING', 'call_1 ACCEPTED'])
    await assertAccessible(page)
    await screenshot(page, 'parts-light')
    await page.close()
  })

  test('after a gap everything is asked for anew, and a frame that came before is left out', async () => {
    const page = await open()
    send(1, snapshot(2, 1))
    send(1, { topic: 'overview', seq: 3, delta: { calls: { live: 9 } } })
    await subscribed(1, 2)
    send(1, snapshot(4, 5))
    send(1, { topic: 'overview', seq: 5, delta: { calls: { live: 8 } } })
    send(1, { topic: 'overview', seq: 6, delta: { calls: { live: 5 } } })
    await live(page, 5)
    await page.close()
  })

  test('a lost connection comes back with its topics, and keeps showing what it knew', async () => {
    const page = await open('dark')
    send(1, snapshot(2, 1))
    await live(page, 2)
    await nth(1).socket.close({ code: 1012, reason: 'going away' })
    await subscribed(2)
    await live(page, 2)
    send(2, snapshot(6, 1))
    await live(page, 6)
    await screenshot(page, 'parts-dark')
    await page.close()
  })

  test('one that is no member stays away', async () => {
    const page = await open()
    await nth(1).socket.close({ code: 4403, reason: 'not a member' })
    await page.getByText('refused').waitFor()
    assert.equal(sockets.length, 1)
    await page.close()
  })

  test('a timeline is read by everybody', async () => {
    const page = await open()
    await page.getByText('Forward failed').waitFor()
    await assertAccessible(page)
    await page.close()
  })
})
