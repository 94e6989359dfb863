// Five tasks with the keyboard alone, and work that is not lost: unsaved forms, scripts that cannot be fetched.
import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { ok } from '../e2e/clients.ts'
import { arrives } from '../e2e/media-steps.ts'
import { type HttpsReceiver, startHttpsReceiver } from '../e2e/receivers.ts'
import { eventually } from '../e2e/scene.ts'
import { after, before, describe, test } from '../support/harness.ts'
import { campaignTo, phones, start, state } from './campaign-steps.ts'
import {
  assertAccessible,
  assertNoFaults,
  type BrowserScene,
  dialog,
  filterChip,
  focused,
  isFocused,
  notice,
  openBrowserScene,
  screenshot,
} from './scene.ts'

const MOST_TABS = 150

describe('hands on the keyboard, and nothing lost', () => {
  let scene: BrowserScene
  let receiver: HttpsReceiver

  before(async () => {
    scene = await openBrowserScene({ env: { WEBHOOK_RETRY_DELAYS: '50ms,50ms,50ms,50ms,50ms' } })
    receiver = await startHttpsReceiver(scene.stack.tls)
  })
  after(async () => {
    receiver?.close()
    await scene?.close()
  })

  /** As somebody without a mouse: Tab, until it has the focus. */
  async function tabTo(page: Page, target: Locator): Promise<void> {
    await target.waitFor()
    for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
      if (await isFocused(target)) return
      await page.keyboard.press('Tab')
    }
    assert.fail(`${MOST_TABS} times Tab do not lead to ${String(target)}`)
  }

  async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
    await tabTo(page, target)
    await page.keyboard.press(key)
  }

  /** Through the navigation to a page, whose heading then has the focus. */
  async function walkTo(page: Page, title: string): Promise<void> {
    await press(page, page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: title }))
    const heading = page.getByRole('heading', { level: 1, name: title, exact: true })
    await focused(heading)
  }

  async function keepSecret(page: Page, secret: Locator): Promise<void> {
    await press(page, secret.getByLabel('I have stored it safely'), 'Space')
    await press(page, secret.getByRole('button', { name: 'Done' }))
  }

  test('1: a key is made', async () => {
    const page = await scene.open('overview')
    await walkTo(page, 'API keys')
    await press(page, page.getByRole('button', { name: 'Create key' }))
    await tabTo(page, dialog(page).getByLabel('Name'))
    await page.keyboard.type('by hand')
    await press(page, dialog(page).getByLabel('Read messages'), 'Space')
    await press(page, dialog(page).getByRole('button', { name: 'Create key' }))
    await keepSecret(page, dialog(page, 'Your new key'))
    await page.getByRole('row', { name: /by hand/ }).waitFor()
    assertNoFaults(page)
    await page.close()
  })

  test('2: an endpoint is added and sent a test event', async () => {
    const page = await scene.open('overview')
    await walkTo(page, 'Webhook endpoints')
    await press(page, page.getByRole('button', { name: 'Add endpoint' }).first())
    await tabTo(page, dialog(page).getByLabel('Name'))
    await page.keyboard.type('shop')
    await tabTo(page, dialog(page).getByLabel('Address'))
    await page.keyboard.type(receiver.url)
    await press(page, dialog(page).getByRole('button', { name: 'Add endpoint' }))
    const secret = dialog(page, 'Signing secret')
    receiver.secret = await secret.getByText(/^whsec_/).innerText()
    await keepSecret(page, secret)
    await page.getByRole('heading', { level: 1, name: 'shop' }).waitFor()
    await press(page, page.getByRole('button', { name: 'Send test event' }))
    await page.getByText(/^Answered 200 after/).waitFor()
    assertNoFaults(page)
    await page.close()
  })

  test('3: a failed delivery is found and replayed', async () => {
    const { stack } = scene
    const { data } = await ok(stack.console.get('/endpoints'))
    receiver.answer = () => 503
    await ok(stack.console.post(`/endpoints/${data[0].id}/test`, { event: 'message.received' }), 202)
    await eventually('it has failed', async () => (await stack.deliveries({ state: 'FAILED' })).length === 1)
    receiver.answer = () => 200
    const page = await scene.open('overview')
    await walkTo(page, 'Delivery log')
    await press(page, filterChip(page, 'State'))
    const failed = page.getByRole('option', { name: 'Failed' })
    await failed.waitFor()
    await page.keyboard.press('f')
    await focused(failed)
    await page.keyboard.press('Enter')
    await page.waitForURL(/state=FAILED/)
    await page.keyboard.press('Escape')
    const link = page.getByRole('row').nth(1).getByRole('link').first()
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' })
    await press(page, link)
    await press(page, dialog(page).getByRole('button', { name: 'Replay' }))
    await notice(page, 'One more attempt is on its way.').waitFor()
    await page.keyboard.press('Escape')
    await dialog(page).first().waitFor({ state: 'detached' })
    await eventually(
      'it is delivered',
      async () => (await stack.deliveries({ state: 'FAILED' })).length === 0,
    )
    assertNoFaults(page)
    await page.close()
  })

  test('4: a customer is answered', async () => {
    await arrives(scene.stack, '15557000002', { type: 'text', text: 'Is the dock open?' })
    const page = await scene.open('overview')
    await walkTo(page, 'Conversations')
    await press(page, page.getByRole('listitem').filter({ hasText: 'Is the dock open?' }).getByRole('link'))
    await tabTo(page, page.getByLabel('Your reply'))
    await page.keyboard.type('Until 8 pm.')
    await page.keyboard.press('Enter')
    await eventually('the handset has it', async () => {
      const { inbox } = await ok(scene.stack.sim.get('/handsets/15557000002'))
      return JSON.stringify(inbox).includes('Until 8 pm.')
    })
    assertNoFaults(page)
    await page.close()
  })

  test('5: a campaign is paused', async () => {
    const id = await campaignTo(scene.stack, phones(1_900), { name: 'Slow one', messagesPerSecond: 5 })
    await start(scene.stack, id)
    const page = await scene.open('overview')
    await walkTo(page, 'Campaigns')
    await press(page, page.getByRole('link', { name: 'Slow one' }))
    await press(page, page.getByRole('main').getByRole('button', { name: 'Pause' }))
    await press(page, dialog(page).getByRole('button', { name: 'Pause' }))
    await state(page, 'Paused')
    assertNoFaults(page)
    await page.close()
  })

  test('what is half written is not lost: a link, the way back, Escape and the close of the tab ask', async () => {
    const page = await scene.open('keys')
    const asking = dialog(page, 'Discard what you typed?')
    const form = dialog(page, 'Create an API key')
    const name = form.getByLabel('Name')
    const keep = () => asking.getByRole('button', { name: 'Keep editing' }).click()
    await page.getByRole('button', { name: 'Create key' }).click()
    await form.waitFor()
    await page.keyboard.press('Escape')
    await form.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Create key' }).click()
    await name.fill('half')
    await page.keyboard.press('Escape')
    await asking.waitFor()
    await focused(asking.getByRole('button', { name: 'Keep editing' }))
    await screenshot(page, 'discard-light')
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await asking.waitFor({ state: 'detached' })
    await focused(name)
    await form.getByRole('button', { name: 'Cancel' }).click()
    await keep()
    assert.equal(await name.inputValue(), 'half')
    await name.fill('')
    await page.keyboard.press('Escape')
    await form.waitFor({ state: 'detached' })

    await page.getByRole('link', { name: 'Templates' }).click()
    await page.getByRole('link', { name: 'New template' }).click()
    const template = page.getByLabel('Name', { exact: true })
    await template.fill('half_written')
    await page.getByRole('navigation').getByRole('link', { name: 'Members' }).click()
    await keep()
    await page.goBack()
    await keep()
    assert.equal(page.url(), scene.urlOf('templates/new'))
    assert.equal(await template.inputValue(), 'half_written')
    const closing = new Promise<string>((resolve) => {
      page.once('dialog', (asked) => {
        resolve(asked.type())
        void asked.dismiss()
      })
    })
    await page.close({ runBeforeUnload: true })
    assert.equal(await closing, 'beforeunload')
    await page.goBack()
    await asking.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor()
    assertNoFaults(page)
    await page.close()
  })

  test('signing out and another workspace ask too, and who stays finds all as it was', async () => {
    const page = await scene.open('templates/new')
    await page.route('**/console/api/me', async (route) => {
      const answer = await route.fetch()
      const json = await answer.json()
      json.workspaces.push({ ...json.workspaces[0], id: 'wsp_other', name: 'Other' })
      await route.fulfill({ response: answer, json })
    })
    await page.reload()
    const template = page.getByLabel('Name', { exact: true })
    await template.fill('half_written')
    const keep = dialog(page, 'Discard what you typed?').getByRole('button', { name: 'Keep editing' })
    const choice = page.getByRole('combobox', { name: 'Workspace' })
    const before = await choice.inputValue()
    await choice.selectOption('Other')
    await keep.click()
    assert.equal(await choice.inputValue(), before)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: /^Search/ }).fill('sign out')
    await page.getByRole('option', { name: 'Sign out' }).click()
    await keep.click()
    assert.equal(await template.inputValue(), 'half_written')
    // A page that the browser has kept may be that of somebody who has signed out since.
    await template.fill('')
    const again = page.waitForEvent('load')
    await page.evaluate('dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }))')
    await again
    assertNoFaults(page)
    await page.close()
  })

  test('a page whose script cannot be fetched says so in the frame, and is tried again', async () => {
    const page = await scene.open('keys')
    await page.route('**/console/assets/page-*.js', (route) => route.abort())
    await page.getByRole('navigation').getByRole('link', { name: 'Members' }).click()
    await page.getByRole('heading', { level: 1, name: 'This page did not load' }).waitFor()
    await screenshot(page, 'script-missing-light')
    await assertAccessible(page)
    await page.getByRole('button', { name: 'Reload' }).waitFor()
    await page.unroute('**/console/assets/page-*.js')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
    await page.close()
  })

  test('the script of a page is fetched when its link is about to be used', async () => {
    const page = await scene.open('keys')
    const fetched = page.waitForRequest((request) => /\/assets\/page-.*\.js$/.test(request.url()))
    await page.getByRole('navigation').getByRole('link', { name: 'Calls' }).hover()
    await fetched
    assert.equal(page.url(), scene.urlOf('keys'))
    await page.close()
  })

  test('a menu opens, moves and closes by keys, and gives the focus back', async () => {
    const page = await scene.open('keys')
    const opener = page.getByRole('button', { name: 'Actions for Demo key' })
    const item = (name: string) => page.getByRole('menuitem', { name })
    await opener.press('ArrowDown')
    await item('Edit').waitFor()
    const isAt = (name: string) => focused(item(name))
    await isAt('Edit')
    await page.keyboard.press('ArrowDown')
    await isAt('Revoke')
    await page.keyboard.press('ArrowDown')
    await isAt('Edit')
    await page.keyboard.press('End')
    await isAt('Revoke')
    await page.keyboard.press('Home')
    await page.keyboard.press('r')
    await isAt('Revoke')
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await item('Edit').waitFor({ state: 'hidden' })
    await focused(opener)
    await page.close()
  })

  test('Copy says what it copies, and that it did', async () => {
    const page = await scene.open('settings')
    // A browser without windows asks nobody, so it grants nothing by itself.
    await page.context().grantPermissions(['clipboard-write'])
    const copy = page.getByRole('button', { name: 'Copy workspace ID' })
    await copy.click()
    await page.getByRole('status').getByText('Copied').waitFor()
    assert.ok(await isFocused(copy))
    await page.close()
  })
})
