// The palette and the keys of the whole console: everything without a mouse.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { ok } from '../e2e/clients.ts'
import { eventually } from '../e2e/scene.ts'
import { after, before, describe, test } from '../support/harness.ts'
import {
  assertAccessible,
  assertFits,
  assertNoFaults,
  type BrowserScene,
  openBrowserScene,
  screenshot,
} from './scene.ts'

const people = [
  ['4915112345678', 'Mía Keller'],
  ['15557000302', 'Miamar Diaz'],
] as const

describe('the palette and the keys', () => {
  let scene: BrowserScene

  before(async () => {
    scene = await openBrowserScene()
    const { sim, numbers, console: api } = scene.stack
    const to = numbers[0].number
    for (const [from, name] of people)
      await ok(sim.post(`/handsets/${from}/messages`, { to, type: 'text', text: 'Hello?', name }))
    await eventually('the people', async () => {
      const { data } = await ok(api.get('/search?q=mi'))
      return data.length === people.length
    })
  })
  after(() => scene?.close())

  const field = (page: Page) => page.getByRole('combobox', { name: 'Search, or go to a page' })
  const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name })
  const active = (page: Page) =>
    page.getByRole('listbox', { name: 'Results' }).getByRole('option', { selected: true })
  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name })
  const isGone = (page: Page) => field(page).waitFor({ state: 'detached' })
  /** Holds the answer to a search back. The returned function lets it go. */
  const holdAnswer = async (page: Page, text: string): Promise<() => void> => {
    let answer = (): void => undefined
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    await page.route(`**/search?q=${text}`, async (route) => {
      await held
      await route.continue().catch(() => undefined)
    })
    return answer
  }
  const search = async (page: Page, text: string) => {
    await page.keyboard.press('Control+k')
    await field(page).waitFor()
    await page.keyboard.type(text)
  }

  test('a person is found by name and by number, opened, and offered again', async () => {
    const page = await scene.open('overview')
    await search(page, 'keller')
    await option(page, /Mía Keller/).waitFor()
    await page.keyboard.press('Enter')
    await heading(page, /Mía Keller/).waitFor()
    await isGone(page)
    await search(page, '(555) 700-0302')
    await option(page, /Miamar Diaz/).waitFor()
    // A new tab by its link, and this page stays.
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      page.keyboard.press('Control+Enter'),
    ])
    await heading(tab, /Miamar Diaz/).waitFor()
    await tab.close()
    await page.keyboard.press('Escape')
    await isGone(page)
    await heading(page, /Mía Keller/).waitFor()
    await page.keyboard.press('/')
    await page.getByRole('group', { name: 'Recent' }).getByRole('option').nth(1).waitFor()
    assert.match(await active(page).innerText(), /Miamar Diaz/)
    await page.keyboard.press('ArrowDown')
    assert.match(await active(page).innerText(), /Mía Keller/)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    // From the first to the last.
    assert.match(await active(page).innerText(), /My account/)
    await page.keyboard.press('Escape')
    await isGone(page)
    assertNoFaults(page)
    await page.close()
  })

  test('letters lead to pages and start something new, but not in a field or a dialog', async () => {
    const page = await scene.open('overview')
    // The second key counts only within a moment of the first, which a busy machine may miss.
    await eventually('the two letters lead there', async () => {
      await page.keyboard.press('g')
      await page.keyboard.press('k')
      return heading(page, 'API keys')
        .waitFor({ timeout: 5_000 })
        .then(
          () => true,
          () => false,
        )
    })
    await page.keyboard.press('c')
    const form = page.getByRole('dialog', { name: /key/i })
    await form.waitFor()
    // In its field these are text; over a dialog the search does not open.
    await page.keyboard.type('g/?c')
    await page.keyboard.press('Control+k')
    assert.equal(await form.getByRole('textbox').first().inputValue(), 'g/?c')
    assert.equal(await field(page).count(), 0)
    await form.getByRole('textbox').first().fill('')
    await page.keyboard.press('Escape')
    await form.waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await keys.getByText('Delivery log').waitFor()
    await assertAccessible(page)
    await screenshot(page, 'shortcuts-light')
    await page.keyboard.press('Escape')
    await keys.waitFor({ state: 'detached' })
    await search(page, 'new endp')
    await option(page, 'Add an endpoint').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: /endpoint/i }).waitFor()
    assert.equal(new URL(page.url()).search, '')
    await page.keyboard.press('Escape')
    assertNoFaults(page)
    await page.close()
  })

  test('nothing found and a failure are said, and pages are found all the same', async () => {
    const page = await scene.open('overview')
    await search(page, 'zzzz')
    await page.getByText('No results for “zzzz”').waitFor()
    await assertAccessible(page)
    await page.route('**/search?*', (route) => route.fulfill({ status: 503, body: '{}' }))
    await page.keyboard.press('Control+a')
    await page.keyboard.type('deliv')
    await page.getByRole('button', { name: 'Search again' }).waitFor()
    await assertAccessible(page)
    await screenshot(page, 'palette-failed')
    await page.unroute('**/search?*')
    await page.keyboard.press('Enter')
    await heading(page, 'Delivery log').waitFor()
    await page.close()
  })

  test('a search that is overtaken is broken off, and its late answer is not shown', async () => {
    const page = await scene.open('overview')
    const answer = await holdAnswer(page, 'keller')
    const [first] = await Promise.all([page.waitForRequest(/search\?q=keller$/), search(page, 'keller')])
    const broken = page.waitForEvent('requestfailed', (request) => request === first)
    await page.keyboard.press('Control+a')
    await page.keyboard.type('diaz')
    await broken
    answer()
    await option(page, /Miamar Diaz/).waitFor()
    assert.equal(await option(page, /Mía Keller/).count(), 0)
    await page.close()
  })

  test('Enter waits for the answer to what is typed, unless a former result was chosen', async () => {
    const page = await scene.open('overview')
    const answer = await holdAnswer(page, 'diaz')
    const searchAnew = async () => {
      await search(page, 'keller')
      await option(page, /Mía Keller/).waitFor()
      await page.keyboard.press('Control+a')
      await page.keyboard.type('diaz')
    }
    await searchAnew()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await heading(page, /Mía Keller/).waitFor()
    await isGone(page)
    await searchAnew()
    await page.keyboard.press('Enter')
    answer()
    await heading(page, /Miamar Diaz/).waitFor()
    await isGone(page)
    await page.close()
  })

  test('only what the role may do is offered', async () => {
    const { sql } = scene.stack
    const made = ['Make an API key', 'Add an endpoint', 'New campaign', 'New template', 'Invite a member']
    const offered = async (role: string): Promise<string[]> => {
      await sql`update memberships set role = ${role}`
      const page = await scene.open('overview')
      await search(page, '')
      // Everybody has an account.
      await option(page, /My account/).waitFor()
      const shown = await Promise.all(made.map((name) => option(page, name).count()))
      await page.close()
      return made.filter((_, index) => shown[index] !== 0)
    }
    assert.deepEqual(await offered('VIEWER'), [])
    assert.deepEqual(await offered('ADMIN'), made.slice(0, -1))
    assert.deepEqual(await offered('OWNER'), made)
  })

  test('a filter that makes no sense says what it takes, and the list stays', async () => {
    const page = await scene.open('conversations')
    const rows = page.getByRole('link', { name: /Mía Keller|Miamar Diaz/ })
    await rows.nth(1).waitFor()
    const box = page.getByRole('searchbox', { name: 'Search conversations' })
    await box.focus()
    await page.keyboard.type('!?')
    await page.getByRole('alert').filter({ hasText: 'Enter a name, a phone number' }).waitFor()
    await rows.nth(1).waitFor()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('0151 12345678')
    await rows.nth(1).waitFor({ state: 'detached' })
    assert.match(await rows.first().innerText(), /Mía Keller/)
    await page.close()
  })

  for (const theme of ['light', 'dark'] as const)
    test(`it is accessible and fits, wide and narrow, ${theme}`, async () => {
      for (const isNarrow of [false, true]) {
        const page = await scene.open('overview', { theme, isNarrow })
        if (!isNarrow) await page.setViewportSize({ width: 1440, height: 900 })
        const name = `palette-${theme}${isNarrow ? '-narrow' : ''}`
        await page.getByRole('button', { name: 'Search', exact: true }).click()
        await option(page, 'Make an API key').waitFor()
        await screenshot(page, `${name}-empty`)
        await assertAccessible(page)
        await page.keyboard.type('m')
        await option(page, /Mía Keller/).waitFor()
        await assertAccessible(page)
        await assertFits(page)
        await screenshot(page, name)
        await page.keyboard.press('Escape')
        await isGone(page)
        await page.close()
      }
    })
})
