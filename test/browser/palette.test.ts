// The palette and the keys of the whole console, without a mouse.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { ok } from '../e2e/clients.ts'
import { eventually } from '../e2e/scene.ts'
import { after, before, describe, test } from '../support/harness.ts'
import { assertAccessible, assertFits, assertNoFaults, type BrowserScene, openBrowserScene, screenshot } from './scene.ts'

describe('the palette', () => {
  let scene: BrowserScene

  before(async () => {
    scene = await openBrowserScene()
    const { stack } = scene
    const { number } = stack.numbers[0]
    for (const [from, name] of [['4915112345678', 'Mía Keller'], ['15557000302', 'Miamar Diaz']] as const) {
      await stack.sim.post(`/handsets/${from}/profile`, { name })
      await ok(stack.sim.post(`/handsets/${from}/messages`, { to: number, type: 'text', text: 'Hello?', name }))
    }
  })
  after(() => scene?.close())

  const field = (page: Page) => page.getByRole('combobox', { name: 'Search, or go to a page' })
  const option = (page: Page, name: string | RegExp) => page.getByRole('option', { name })
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

  test('is looked at', async () => {
    const page = await scene.open('overview')
    await page.keyboard.press('Control+k')
    await field(page).waitFor()
    await screenshot(page, 'palette-empty')
    await page.keyboard.type('mi')
    await page.waitForTimeout(2000)
    await screenshot(page, 'palette-mi')
    console.log(await page.getByRole('listbox').innerText())
  })
})
