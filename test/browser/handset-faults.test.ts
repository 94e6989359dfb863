// Configured faults and the traffic with the provider, on the simulator's page.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { ok } from '../e2e/clients.ts'
import { eventually } from '../e2e/scene.ts'
import { after, before, describe, test } from '../support/harness.ts'
import { type HandsetScene, openHandsetScene, phoneOf, write } from './handset-scene.ts'
import { assertAccessible, assertNoFaults, screenshot } from './scene.ts'

interface Look {
  readonly isLoaded: boolean
  readonly [part: string]: unknown
}

/** What a page has in common with the others, as the browser shows it. */
const lookOf = (page: Page): Promise<Look> =>
  page.evaluate(`(async () => {
    await document.fonts.ready
    const bar = document.querySelector('.product-bar')
    const style = (element, ...names) => names.map((name) => getComputedStyle(element)[name])
    return {
      isLoaded: [...document.fonts].some(({ family, status }) => family === 'Inter' && status === 'loaded'),
      font: style(document.body, 'fontFamily'),
      bar: style(bar, 'height', 'backgroundColor', 'fontFamily', 'fontSize'),
      name: style(bar.querySelector('.product-name'), 'fontWeight', 'color'),
      link: style(bar.querySelector('.product-links a'), 'fontWeight', 'fontSize', 'padding'),
      mark: bar.querySelector('.mark').innerHTML.replaceAll(/\\s*\\/>|><\\/(rect|path|circle)>/g, '>'),
      icons: [...document.querySelectorAll('link[rel=icon]')].map((link) => link.getAttribute('href')),
    }
  })()`) as Promise<Look>

describe('faults and the wire, on the page of handsets', () => {
  let scene: HandsetScene

  before(async () => {
    scene = await openHandsetScene()
  })
  after(() => scene?.close())

  test('a fault is set by one click, is shown plainly, makes a send fail, and is cleared', async () => {
    const page = await scene.openPage(['15557000108'])
    const phone = phoneOf(page, '15557000108')
    await page.getByRole('tab', { name: 'Faults' }).click()
    await page.getByRole('button', { name: 'Refuse messages' }).click()
    await page.getByText('1 fault in force:').waitFor()
    const { id } = await scene.send('15557000108')
    await eventually('the message fails', async () => {
      const { status } = await ok(scene.stack.api.get(`/messages/chat/${id}`))
      return status === 'FAILED'
    })
    await page.getByText('1 hit').waitFor()
    await page.getByText('A rule of your own for the API').click()
    await page.getByLabel('What happens').selectOption({ label: 'Delay' })
    await page.getByLabel('Number ends in').fill('0001')
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByText('2 faults in force:').waitFor()
    await page.getByText('messages to numbers in 0001 wait 3000 ms', { exact: true }).waitFor()
    await screenshot(page, 'handsets-faults-light')
    await assertAccessible(page)

    await page.getByRole('tab', { name: 'Faults' }).press('ArrowLeft')
    const row = page.getByRole('button', { name: /Request POST \/messages 400/ }).first()
    await row.click()
    await page.getByRole('region', { name: 'Answer 400' }).getByText('"code": 131026').waitFor()
    await page.getByRole('region', { name: 'Request', exact: true }).getByText('"order_ready"').waitFor()
    await screenshot(page, 'handsets-wire-light')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Clear all' }).click()
    await page.getByText('in force:').waitFor({ state: 'detached' })
    await scene.send('15557000108', 'Jo')
    await phone.getByText('Hi Jo, order A-4471 is ready.').waitFor()
    assertNoFaults(page)
    await page.close()
  })

  test('webhooks show their bodies and how often they were tried', async () => {
    const page = await scene.openPage(['15557000109'])
    await page.getByRole('tab', { name: 'Faults' }).click()
    await page.getByRole('button', { name: 'Deaf' }).click()
    await page.getByText('the first 2 answers to each webhook are ignored', { exact: true }).waitFor()
    await write(phoneOf(page, '15557000109'), 'Can you hear me?')
    await page.getByRole('tab', { name: 'Wire' }).click()
    await page.getByRole('button', { name: 'Webhooks', exact: true }).click()
    const row = page.getByRole('button', { name: /Webhook message 200 ×3/ }).first()
    await row.waitFor()
    await row.click()
    await page.getByRole('region', { name: 'Body' }).getByText('Can you hear me?').waitFor()
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await row.waitFor({ state: 'detached' })
    await ok(scene.stack.sim.put('/faults', {}))
    await page.getByText('in force:').waitFor({ state: 'detached' })
    await page.close()
  })

  test('handsets, documentation and console have one header and one font, and lead to each other', async () => {
    const page = await scene.openPage([])
    const looks = [await lookOf(page)]
    await page.getByRole('link', { name: 'Docs', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Switchboard API' }).waitFor()
    looks.push(await lookOf(page))
    await page.getByRole('link', { name: 'Send messages' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Send messages' }).waitFor()
    assert.equal(await page.title(), 'Send messages · Switchboard')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await assertAccessible(page)
      await screenshot(page, `docs-send-${colorScheme}`)
    }
    await page.emulateMedia({ colorScheme: 'light' })
    await page.getByRole('link', { name: 'Console', exact: true }).click()
    await page.getByRole('heading', { name: 'Sign in to Switchboard' }).waitFor()
    looks.push(await lookOf(page))
    await page.getByRole('link', { name: 'Switchboard', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Switchboard' }).waitFor()
    looks.push(await lookOf(page))
    await assertAccessible(page)
    await screenshot(page, 'start-page')
    for (const look of looks) assert.deepEqual(look, looks[0])
    assert.ok(looks[0]?.isLoaded)
    await page
      .getByRole('link', { name: /^Handsets/ })
      .first()
      .click()
    await page.getByRole('heading', { level: 1, name: 'Handsets' }).waitFor({ state: 'attached' })
    assert.equal(await page.title(), 'Handsets · Switchboard')
    assertNoFaults(page)
  })
})
