// Parts of the console with each answer as the test gives it: late, failed or never. The test plays the server.
import assert from 'node:assert/strict'
import type { Browser, Locator, Page, Route } from 'playwright-core'
import { eventually } from '../e2e/scene.ts'
import { after, before, describe, test } from '../support/harness.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { templates } from './gallery/templates.ts'
import { bundleOf, htmlOf } from './gallery-bundle.ts'
import { assertAccessible, dialog, isFocused, notice, sharedBrowser } from './scene.ts'

const html = htmlOf('Lines')

/** One request of the page. It has no answer before the test gives one. */
interface Asked {
  /** With its query. */
  readonly path: string
  readonly body: string | null
  answer(json: object, status?: number): Promise<void>
  lose(): Promise<void>
}

describe('answers that come late, or never', () => {
  let browser: Browser
  let files: ReadonlyMap<string, string>
  let asked: Asked[] = []

  before(async () => {
    files = await bundleOf(new URL('./gallery/lines.tsx', import.meta.url))
    browser = await sharedBrowser()
  })
  after(() => Promise.all(browser?.contexts().map((context) => context.close()) ?? []))

  const toAsked = (route: Route): Asked => ({
    path: route
      .request()
      .url()
      .replace(/^.*\/console\/api/, ''),
    body: route.request().postData(),
    answer: (json, status = 200) => route.fulfill({ json, status }),
    lose: () => route.abort(),
  })

  async function open(scene: string): Promise<Page> {
    asked = []
    const page = await browser.newPage({ reducedMotion: 'reduce', viewport: { width: 900, height: 800 } })
    page.setDefaultTimeout(PATIENCE_MS)
    await page.clock.install()
    await page.route('http://gallery.test/**', async (route) => {
      const { pathname } = new URL(route.request().url())
      if (pathname.endsWith('/preview')) return route.abort()
      if (pathname.startsWith('/console/api')) return void asked.push(toAsked(route))
      const file = files.get(pathname)
      const contentType = pathname.endsWith('.css') ? 'text/css' : 'text/javascript'
      await route.fulfill(
        file === undefined ? { contentType: 'text/html', body: html } : { contentType, body: file },
      )
    })
    await page.goto(`http://gallery.test/console/wsp_1/lines?scene=${scene}`)
    return page
  }

  /** The next request that nobody has looked at. */
  async function next(): Promise<Asked> {
    let found: Asked | undefined
    await eventually('the page asks', async () => {
      found = asked.shift()
      return found !== undefined
    })
    assert.ok(found)
    return found
  }

  const choose = (field: Locator) =>
    field.setInputFiles({ name: 'door.png', mimeType: 'image/png', buffer: Buffer.from('a picture') })

  test('a file that is uploaded takes nothing back that was typed meanwhile', async () => {
    const page = await open('Plan')
    await choose(page.getByLabel('Image to upload'))
    const upload = await next()
    await page.getByLabel('Name', { exact: true }).fill('Spring')
    await page.getByLabel('customer').fill('Ana')
    await upload.answer({ id: '42', fileName: 'door.png' })
    await page.getByText('door.png').waitFor()
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Spring')
    assert.equal(await page.getByLabel('customer').inputValue(), 'Ana')
    await page.getByRole('button', { name: 'Remove' }).click()
    await choose(page.getByLabel('Image to upload'))
    const late = await next()
    await page.getByLabel('Template', { exact: true }).selectOption({ label: 'film (en_US)' })
    await late.answer({ id: '43', fileName: 'door.png' })
    await page.getByLabel('Video to upload').waitFor({ state: 'attached' })
    // What the answer does, it does before the next one is read.
    await choose(page.getByLabel('Video to upload'))
    await (await next()).answer({ error: { code: 'INVALID_REQUEST', message: 'too large' } }, 422)
    await page.getByRole('alert').waitFor()
    assert.equal(await page.getByText('door.png').count(), 0, 'the picture is none for the film')
    await page.close()
  })

  test('what has no answer ends, and what is repeated goes on', async () => {
    const page = await open('Repeated')
    await page.clock.runFor(1_000)
    await next()
    await page.clock.runFor(50_000)
    await (await next()).lose()
    await page.clock.runFor(2_000)
    await (await next()).answer({})
    await page.getByText('Read 1 times').waitFor()
    await page.close()
  })

  test('an upload of which nothing is heard ends and says so', async () => {
    const page = await open('Upload')
    const part = page.getByRole('region', { name: 'Upload' })
    await part.getByRole('button', { name: 'Upload' }).click()
    await next()
    await part.getByText('Uploading').waitFor()
    await page.clock.runFor(130_000)
    await part.getByText('The server cannot be reached.').waitFor()
    await page.close()
  })

  test('news that could not be read is read later', async () => {
    const page = await open('News')
    const rows = page.getByRole('list', { name: 'Things' }).getByRole('listitem')
    await (await next()).answer({ data: [{ id: 'old' }], nextCursor: null })
    await rows.getByText('old').waitFor()
    await page.getByRole('button', { name: 'News' }).click()
    await page.clock.runFor(1_000)
    await (await next()).answer({ error: { code: 'RATE_LIMITED', message: 'too many' } }, 429)
    const isAsked = async () => {
      await page.clock.runFor(1_000)
      return asked.length > 0
    }
    await eventually('it is read again', isAsked)
    await (await next()).answer({ data: [{ id: 'new' }], nextCursor: null })
    await rows.getByText('new').waitFor()
    await page.clock.runFor(10_000)
    assert.equal(asked.length, 0, 'what was read is not read again')
    await page.close()
  })

  test('a list that waits for a review is read again without losing what was loaded behind it', async () => {
    const page = await open('TemplateList')
    const row = (name: string, status = 'APPROVED') => ({
      ...{ id: `tpl_${name}`, name, status, language: 'en_US', category: 'UTILITY', variables: [] },
      updatedAt: new Date().toISOString(),
    })
    const table = page.getByRole('region', { name: 'Templates' })
    await (await next()).answer({ data: [row('newest'), row('older')], nextCursor: 'older' })
    await page.getByRole('button', { name: 'Load more' }).click()
    await (await next()).answer({ data: [row('oldest', 'PENDING')], nextCursor: null })
    await table.getByText('oldest').waitFor()
    await page.clock.runFor(2_000)
    await (await next()).answer({ data: [row('newest', 'REJECTED'), row('older')], nextCursor: 'older' })
    await table.getByText('Rejected').waitFor()
    assert.equal(await table.getByText('oldest').count(), 1)
    await page.close()
  })

  test('a template without the file that its review needs leads to the button for it', async () => {
    const page = await open('TemplateForm')
    await page.getByLabel('Name', { exact: true }).fill('spring')
    await page.getByLabel('Header', { exact: true }).selectOption('IMAGE')
    await page.getByLabel('Body').fill('Spring is here.')
    await page.getByRole('button', { name: 'Submit for approval' }).click()
    await page.getByText('The review needs this').waitFor()
    const upload = page.getByRole('button', {
      name: 'Upload an example',
      description: 'The review needs this',
    })
    await eventually('the button has the focus', () => isFocused(upload))
    await assertAccessible(page)
    await page.close()
  })

  test('a campaign is edited with its own template, also beyond those that are listed, or says why not', async () => {
    const page = await open('Edit')
    const [listed, numbers, own] = [await next(), await next(), await next()]
    assert.match(own.path, /\/templates\?exactName=photo&language=en_US$/)
    await listed.answer({ error: { code: 'INTERNAL_ERROR', message: 'it broke' } }, 500)
    await numbers.answer({ data: [], nextCursor: null })
    await own.answer({ data: templates.slice(0, 1), nextCursor: null })
    await dialog(page).getByText('it broke').waitFor()
    await dialog(page).getByRole('button', { name: 'Try again' }).click()
    await (await next()).answer({ data: templates.slice(1), nextCursor: null })
    const options = dialog(page).getByLabel('Template', { exact: true }).getByRole('option')
    await options.first().waitFor({ state: 'attached' })
    assert.deepEqual(await options.allTextContents(), ['Choose one', 'photo (en_US)', 'film (en_US)'])
    await page.close()
  })

  test('the first steps can be hidden, and are not read any more then', async () => {
    const page = await open('FirstSteps')
    const first = [await next(), await next(), await next(), await next()]
    for (const one of first) await one.answer({ data: [], nextCursor: null })
    await page.getByText('0 of 4 done').waitFor()
    await page.getByRole('button', { name: 'Hide' }).click()
    await page.getByText('No steps').waitFor()
    asked = []
    await page.clock.runFor(20_000)
    assert.equal(asked.length, 0)
    await page.reload()
    await page.getByText('No steps').waitFor()
    await page.clock.runFor(20_000)
    assert.equal(asked.length, 0)
    await page.close()
  })

  test('numbers cannot be set up without the endpoints, and the page says why', async () => {
    const page = await open('Numbers')
    const reads = [await next(), await next(), await next()]
    const endpoints = reads.find(({ path }) => path.endsWith('/endpoints'))
    await endpoints?.answer({ error: { code: 'INTERNAL_ERROR', message: 'it broke' } }, 500)
    await page.getByRole('alert').getByText('it broke').waitFor()
    await page.close()
  })

  test('the messages of the last hour are known in full, and other figures up to a limit', async () => {
    const page = await open('Figures')
    await page
      .getByRole('link', { name: /Messages in the last hour/ })
      .getByText('12,000')
      .waitFor()
    await page
      .getByRole('link', { name: /Held deliveries/ })
      .getByText('10,000+')
      .waitFor()
    await page.close()
  })

  test('replies go out in the order in which they were written, also when one is lost', async () => {
    const page = await open('Replies')
    const said = (text: string) =>
      page.getByRole('list', { name: 'Replies' }).getByRole('listitem').filter({ hasText: text })
    for (const text of ['One', 'Two', 'Three'])
      await page.getByRole('button', { name: `Say ${text}` }).click()
    const first = await next()
    await first.lose()
    await said('One').getByRole('button', { name: 'Try again' }).waitFor()
    await said('Two').getByText('Waits for the one above').waitFor()
    assert.equal(asked.length, 0, 'the second waits for the first')
    await said('One').getByRole('button', { name: 'Try again' }).click()
    const again = await next()
    assert.equal(again.body, first.body, 'with the same key')
    await again.answer({})
    const second = await next()
    assert.match(second.body ?? '', /"Two"/)
    await second.answer({ error: { code: 'INVALID_REQUEST', message: 'it is refused' } }, 422)
    await said('Two').getByRole('button', { name: 'Discard' }).click()
    const third = await next()
    assert.match(third.body ?? '', /"Three"/)
    await third.answer({})
    await said('Three').waitFor({ state: 'detached' })
    await page.close()
  })

  test('a template whose answer was lost is sent again with its key, until it was sent', async () => {
    const page = await open('Template')
    const sent = async (): Promise<Asked> => {
      await page.getByRole('button', { name: 'Send a template' }).click()
      const box = dialog(page)
      await (await next()).answer({ data: templates, nextCursor: null })
      await box.getByRole('button', { name: /photo/ }).click()
      await box.getByLabel('Image in the header').fill('https://example.test/door.png')
      await box.getByLabel('customer').fill('Ana')
      await box.getByRole('button', { name: 'Send message' }).click()
      return next()
    }
    const keyOf = ({ body }: Asked) => JSON.parse(body ?? '').idempotencyKey
    const lost = await sent()
    await lost.lose()
    await page.getByText('The server cannot be reached.').waitFor()
    await page.keyboard.press('Escape')
    await dialog(page, 'Discard what you typed?').getByRole('button', { name: 'Discard' }).click()
    const again = await sent()
    assert.equal(keyOf(again), keyOf(lost))
    await again.answer({}, 202)
    await notice(page, 'The message is on its way.').waitFor()
    const second = await sent()
    assert.notEqual(keyOf(second), keyOf(lost), 'it is a second message')
    await page.close()
  })
})
