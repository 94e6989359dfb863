// The inbox as somebody works it: the list, a thread with calls and a campaign, its details, and the keys.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { ok } from '../e2e/clients.ts'
import { arrives } from '../e2e/media-steps.ts'
import { eventually } from '../e2e/scene.ts'
import { campaignTo, start } from './campaign-steps.ts'
import {
  assertAccessible,
  assertFits,
  assertNoFaults,
  type BrowserScene,
  loaded,
  screenshot,
} from './scene.ts'

const mia = '15557000501'
const list = (page: Page) => page.getByRole('region', { name: 'Conversations' })
const thread = (page: Page) => page.getByRole('region', { name: 'Messages' })
const pane = (page: Page) => page.getByRole('complementary', { name: 'Details' })

const widths = [
  ['wide', 1440, 900],
  ['medium', 1024, 768],
  ['narrow', 390, 844],
] as const

async function look(page: Page, name: string, only: readonly string[] = ['wide', 'medium', 'narrow']) {
  for (const [word, width, height] of widths.filter(([one]) => only.includes(one))) {
    await page.setViewportSize({ width, height })
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme })
      await assertAccessible(page, theme === 'dark' ? ['color-contrast'] : undefined)
      await screenshot(page, `${name}-${word}-${theme}`)
    }
    await assertFits(page)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1440, height: 900 })
}

/** A contact who was sent a campaign, called in vain, and wrote; and others who wrote. Returns Mia's conversation. */
async function prepare({ stack }: BrowserScene): Promise<string> {
  const to = stack.numbers[0].number
  await start(stack, await campaignTo(stack, [`+${mia}`], { name: 'Spring offers' }))
  await eventually('the campaign has sent', async () => {
    const { data } = await ok(stack.api.get(`/messages/chat?contact=${mia}`))
    return data.length === 1
  })
  for (const [from, name, text] of [
    ['15557000502', 'Jonas Wirth', 'Can I change the address?'],
    ['15557000503', 'Aylin Demir', 'Thanks, it arrived!'],
    ['4915112345678', 'Łukasz Øre', 'Is the dock open on Sunday?'],
  ])
    await arrives(stack, String(from), { type: 'text', text, name })
  const { wacid } = await ok(stack.sim.post(`/handsets/${mia}/calls`, { to }))
  await ok(stack.sim.post(`/calls/${encodeURIComponent(wacid)}/hangup`))
  // The call tells the name that its handset has now: what is told late in the same second would hide the next one.
  await eventually('the call has ended', async () => {
    const { data } = await ok(stack.console.get(`/calls?contact=${mia}`))
    return typeof data[0]?.endedAt === 'string'
  })
  await arrives(stack, mia, { type: 'text', text: 'Hello! Is the blue one still there?', name: 'Mia Keller' })
  const { conversationId } = await arrives(stack, mia, {
    ...{ type: 'image', caption: 'This one', name: 'Mia Keller' },
  })
  return conversationId
}

const names = (page: Page) => list(page).getByRole('listitem').locator('strong').allInnerTexts()
const hasFocus = (page: Page, name: RegExp) =>
  list(page)
    .getByRole('link', { name })
    .evaluate((element) => element === element.ownerDocument.activeElement)

/** Nothing moves under the pointer; what is new waits above. */
async function holdsStill(page: Page, scene: BrowserScene): Promise<void> {
  const before = await names(page)
  const row = list(page).getByRole('link', { name: /Aylin Demir/ })
  await row.hover()
  const place = await row.boundingBox()
  await arrives(scene.stack, '15557000504', { type: 'text', text: 'Good evening', name: 'Noor Haddad' })
  await arrives(scene.stack, '15557000503', { type: 'text', text: 'One more thing', name: 'Aylin Demir' })
  await list(page).getByRole('button', { name: '1 new conversation' }).waitFor()
  await list(page)
    .getByRole('link', { name: /Aylin Demir.*One more thing.*2 unread/s })
    .waitFor()
  assert.deepEqual(await names(page), before)
  assert.deepEqual(await row.boundingBox(), place)
  await screenshot(page, 'inbox-waiting')
  await assertAccessible(page)
  await page.mouse.move(1_000, 500)
  await eventually('the latest is first', async () => (await names(page))[0] === 'Aylin Demir')
  assert.equal((await names(page))[1], 'Noor Haddad')
}

/** Everything without a mouse: along the list, into a thread, to the box, and back to the row. */
async function keysWork(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).focus()
  for (const key of ['j', 'j', 'j', 'k', 'ArrowDown']) await page.keyboard.press(key)
  assert.ok(await hasFocus(page, /Mia Keller/))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Mia Keller' }).waitFor()
  await page.getByLabel('Your reply').waitFor()
  await page.keyboard.press('r')
  await page.keyboard.type('r u there')
  assert.equal(await page.getByLabel('Your reply').inputValue(), 'r u there')
  await page.getByLabel('Your reply').fill('')
  await page.keyboard.press('Escape')
  await page.keyboard.press('u')
  await list(page)
    .getByRole('link', { name: /Mia Keller.*unread/s })
    .waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await eventually('the row has the focus again', () => hasFocus(page, /Mia Keller/))
  // What was read is behind what was not.
  await eventually('it is behind the unread', async () => {
    const all = await names(page)
    return all.indexOf('Mia Keller') > all.indexOf('Jonas Wirth')
  })
}

/** On a phone the list, the thread and the details are pages, each with a way back. */
async function pagesOnPhones(page: Page): Promise<void> {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('link', { name: 'Details' }).click()
  await pane(page).getByText('US.').waitFor()
  assert.equal(await thread(page).isVisible(), false)
  await assertAccessible(page)
  await assertFits(page)
  await screenshot(page, 'inbox-details-narrow')
  await pane(page).getByRole('link', { name: 'Mia Keller' }).click()
  await thread(page).waitFor()
  await page.getByRole('link', { name: 'Conversations', exact: true }).first().click()
  await list(page).waitFor()
  await page.setViewportSize({ width: 1440, height: 900 })
}

export async function inboxIsWorked(scene: BrowserScene): Promise<void> {
  const conversationId = await prepare(scene)
  const page = await scene.open('conversations')
  await page.setViewportSize({ width: 1440, height: 900 })
  await list(page)
    .getByRole('link', { name: /Mia Keller.*This one.*2 unread/s })
    .waitFor()
  await look(page, 'inbox', ['wide', 'narrow'])
  await page.goto(scene.urlOf(`conversations/${conversationId}`))
  await loaded(page)
  await thread(page)
    .getByRole('link', { name: /Incoming call, missed/ })
    .waitFor()
  await thread(page).getByRole('link', { name: 'Spring offers' }).waitFor()
  await thread(page).getByText('New since you looked').waitFor()
  await pane(page)
    .getByRole('link', { name: /Spring offers, completed/ })
    .waitFor()
  await look(page, 'inbox-thread')
  await pagesOnPhones(page)
  await holdsStill(page, scene)
  await keysWork(page)
  assertNoFaults(page)
  await page.close()
}
