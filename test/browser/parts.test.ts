// UI parts and the live client in isolation. The test plays the server of the live feed with its exact
// protocol, so that it decides when gaps and endings occur.
import assert from 'node:assert/strict'
import type { Browser, Page, Route, WebSocketRoute } from 'playwright-core'
import { eventually } from '../e2e/scene.ts'
import { after, before, describe, test } from '../support/harness.ts'
import { bundleOf, htmlOf } from './gallery-bundle.ts'
import { assertAccessible, screenshot, sharedBrowser } from './scene.ts'

const address = 'http://gallery.test/console/wsp_1/parts'
const html = htmlOf('Parts')

describe('the parts', () => {
  let browser: Browser
  let files: ReadonlyMap<string, string>
  /** Opened sockets, each with the lists of topics received over it. */
  let sockets: { readonly socket: WebSocketRoute; readonly lists: string[][] }[] = []

  /** What the server answers to a read. */
  const ofThings = (...ids: string[]) => ({
    json: { data: ids.map((id) => ({ id })), nextCursor: null } as object,
    status: 200,
  })
  const outage = { json: { error: { code: 'UNAVAILABLE', message: 'away', requestId: 'r' } }, status: 503 }
  let things: { readonly json: object; readonly status: number } = ofThings('one')
  /** Reads that the test answers itself, in an order of its own. */
  let held: Route[] | undefined
  const tellThings = (route: Route) =>
    held && route.request().url().includes('/things') ? held.push(route) : route.fulfill(things)

  before(async () => {
    files = await bundleOf(new URL('./gallery/main.tsx', import.meta.url))
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
      if (pathname.startsWith('/console/api/thing')) return tellThings(route)
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

  test('while the database does not answer, pages keep what they show, say as of when, and go on by themselves', async () => {
    things = ofThings('one')
    const page = await open()
    const notice = page.getByRole('status', { name: 'Freshness' })
    const shown = page.getByRole('list', { name: 'Things' }).getByRole('listitem')
    await shown.getByText('one').waitFor()
    things = outage
    await page.getByRole('button', { name: 'Refresh' }).click()
    await notice.getByText(/The database is unavailable\. Retrying….*as of \d\d:\d\d:\d\d\./).waitFor()
    assert.deepEqual(await shown.allInnerTexts(), ['one'], 'the list stays')
    await assertAccessible(page)
    things = ofThings('two', 'one')
    await shown.getByText('two').waitFor()
    await notice.getByText('Retrying').waitFor({ state: 'detached' })

    send(1, snapshot(2, 1))
    await live(page, 2)
    send(1, { topic: 'overview', seq: 1, stale: { asOf: '2026-11-22T12:03:10.000Z' } })
    await notice.getByText('The database is unavailable.').waitFor()
    await live(page, 2)
    send(1, { topic: 'overview', seq: 1, stale: null })
    await notice.getByText('Retrying').waitFor({ state: 'detached' })
    await page.close()
  })

  test('a list loses no row when news comes while more is loaded, nor goes back to an older answer', async () => {
    const answers: Route[] = []
    held = answers
    const page = await open()
    const shown = page.getByRole('list', { name: 'Things' }).getByRole('listitem')
    const asked = (count: number) => eventually(`${count} reads`, async () => answers.length >= count)
    const answer = (nth: number, ids: string, nextCursor: string | null = null) =>
      answers[nth - 1]?.fulfill({ json: { data: [...ids].map((id) => ({ id })), nextCursor } })
    const shows = (ids: string) =>
      eventually(`${ids} is shown`, async () => (await shown.allInnerTexts()).join('') === ids)
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    await asked(1)
    await answer(1, 'ba', 'after-a')
    await shows('ba')
    await press('Load more')
    await asked(2)
    await press('Refresh')
    await asked(3)
    await answer(3, 'cb', 'after-b')
    await shows('cba')
    await answer(2, '98')
    await shows('cba98')
    await press('Refresh')
    await press('Refresh')
    await asked(5)
    await answer(5, 'dc', 'after-c')
    await shows('dcba98')
    await answer(4, 'cb', 'after-b')
    await press('Refresh')
    await asked(6)
    await answer(6, 'hg', 'after-g')
    await shows('hg')
    await press('Load more')
    await asked(7)
    assert.match(answers[6]?.request().url() ?? '', /cursor=after-g$/)
    held = undefined
    await page.close()
  })

  test('what a change answered is not undone by a read that began before it', async () => {
    const page = await open()
    const reads: Route[] = []
    await page.route('**/console/api/thing', (route) => void reads.push(route))
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const tells = (text: string) => page.getByRole('status', { name: 'Thing' }).getByText(text).waitFor()
    await press('Read')
    await eventually('it is read', async () => reads.length === 1)
    await press('Change')
    await tells('changed')
    await eventually('it is read once more', async () => reads.length === 2)
    // Nobody waits for the first any more.
    await reads[0]?.fulfill({ json: { text: 'old' } }).catch(() => undefined)
    await tells('changed')
    await reads[1]?.fulfill({ json: { text: 'newer' } })
    await tells('newer')
    await page.close()
  })

  test('a gateway that says nothing any more is taken for dead, although its socket is open', async () => {
    const page = await open()
    await page.clock.install()
    await page.reload()
    await subscribed(2)
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 10_000)
    send(2, snapshot(2, 1))
    await live(page, 2)
    await page.clock.fastForward(15_000)
    send(2, { alive: true })
    send(2, { topic: 'overview', seq: 2, delta: { calls: { live: 3 } } })
    await live(page, 3)
    await page.clock.fastForward(15_000)
    assert.equal(sockets.length, 2, 'it has said something within 20 s')
    // In steps that are shorter than the wait for the next connection, which ends what is looked for here.
    const told = page.getByText('The gateway does not answer. Retrying…')
    for (let left = 150; left > 0 && !(await told.isVisible()); left -= 1) await page.clock.runFor(200)
    await told.waitFor()
    await live(page, 3)
    await page.clock.resume()
    await subscribed(3)
    await page.getByText('The gateway does not answer.').waitFor({ state: 'detached' })
    await page.close()
  })

  test('a chart is read by pointer and by keys, and zoomed by dragging', async () => {
    const page = await open()
    const chart = page.getByRole('slider', { name: 'Attempts an hour' })
    const figure = page.getByRole('figure').filter({ has: chart })
    const card = figure.locator('.chart-card')
    await chart.focus()
    await chart.press('ArrowLeft')
    await card.getByText('2,120').waitFor()
    assert.match(
      (await chart.getAttribute('aria-valuetext')) ?? '',
      /: Delivered 2,120, Retried 180, Failed 12$/,
    )
    await chart.press('ArrowLeft')
    await card.getByText('2,080').waitFor()
    await chart.press('Escape')
    await card.waitFor({ state: 'detached' })
    const rows = figure.getByRole('row')
    assert.equal(await rows.count(), 25, 'the table has all values')
    const box = await chart.boundingBox()
    assert.ok(box)
    const y = box.y + box.height / 2
    await page.mouse.move(box.x + box.width * 0.3, y)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.5, y, { steps: 4 })
    await page.mouse.up()
    await figure.getByRole('button', { name: 'Reset zoom' }).waitFor()
    assert.ok((await rows.count()) < 12)
    await assertAccessible(page)
    await screenshot(page, 'chart-zoomed-light')
    await figure.getByRole('button', { name: 'Reset zoom' }).click()
    await figure.getByRole('button', { name: 'Reset zoom' }).waitFor({ state: 'detached' })
    await chart.press('+')
    await figure.getByRole('button', { name: 'Reset zoom' }).waitFor()
    await chart.press('-')
    await figure.getByRole('button', { name: 'Reset zoom' }).waitFor({ state: 'detached' })
    await page.close()
  })

  test('a timeline is read by everybody', async () => {
    const page = await open()
    await page.getByText('Forward failed').waitFor()
    await assertAccessible(page)
    await page.close()
  })
})
