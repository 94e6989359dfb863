// A running campaign in the browser: paused, scheduled, cancelled, stopped, and with unknown outcomes.
import assert from 'node:assert/strict'
import { ok } from '../e2e/clients.ts'
import { eventually, stepsOf } from '../e2e/scene.ts'
import { after, before } from '../support/harness.ts'
import { campaignTo, close, countOf, phones, shows, start, state } from './campaign-steps.ts'
import { assertAccessible, type BrowserScene, openBrowserScene, screenshot, setFilter } from './scene.ts'

let scene: BrowserScene
before(async () => {
  scene = await openBrowserScene()
})
after(() => scene?.close())
const step = stepsOf(() => scene.stack)

step('it is paused and goes on, and a cancel says what becomes of the rest', async () => {
  const id = await campaignTo(scene.stack, phones(1_900), { name: 'Slow one', messagesPerSecond: 20 })
  await start(scene.stack, id)
  const page = await scene.open(`campaigns/${id}`)
  await state(page, 'Running')
  const pace = page.locator('.pace')
  await pace.getByText('The pace of this campaign').waitFor()
  await pace.getByText(/^[\d.]+ a second$/).waitFor()
  await pace.getByText(/^About /).waitFor()
  await assertAccessible(page)
  await screenshot(page, 'campaigns-rate')
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
  await state(page, 'Paused')
  await page.getByText(/^Paused by /).waitFor()
  await page.getByText('the way to the provider').or(page.getByText('Nothing was on its way')).waitFor()
  await screenshot(page, 'campaigns-paused')
  await page.getByRole('button', { name: 'Continue…' }).click()
  await page.getByRole('dialog').getByText('The pace of this campaign').waitFor()
  await page.getByRole('button', { name: /^Continue sending to/ }).click()
  await state(page, 'Running')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Cancel', exact: true }).click()
  await page.getByRole('button', { name: 'Cancel campaign' }).click()
  await state(page, 'Cancelled')
  await shows(page, 'Pending', 0)
  await pace.getByText('on average', { exact: false }).waitFor()
  assert.notEqual(await countOf(page, 'Cancelled').innerText(), '0')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete campaign' }).click()
  await page.waitForURL(/\/campaigns$/)
  await close(page)
})

step('one with a time is scheduled, taken back, scheduled again, and started at once', async () => {
  const id = await campaignTo(scene.stack, phones(2), { name: 'Later' })
  const page = await scene.open(`campaigns/${id}`)
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Edit', exact: true }).click()
  await page.getByLabel('Start at').fill('2099-05-01T10:00')
  // It has a number already, which only another can replace.
  const numbers = page.getByLabel('Send from').getByRole('option')
  assert.equal(await numbers.filter({ hasText: 'The default number' }).count(), 0)
  assert.notEqual(await numbers.count(), 0)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Schedule…' }).click()
  await page.getByRole('button', { name: /^Schedule for May 1, 2099/ }).click()
  await state(page, 'Scheduled')
  await page.getByRole('button', { name: 'Take back the schedule' }).click()
  await page.getByRole('button', { name: 'Take it back' }).click()
  await state(page, 'Draft')
  await page.getByRole('button', { name: 'Schedule…' }).click()
  await page.getByRole('button', { name: /^Schedule for May 1, 2099/ }).click()
  await state(page, 'Scheduled')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Start now' }).click()
  await page.route(/[/]start/, (route) => route.abort())
  const start = page.getByRole('button', { name: 'Start sending to 2 recipients' })
  await start.click()
  await page.getByText('The server cannot be reached.').waitFor()
  assert.equal((await ok(scene.stack.console.get(`/campaigns/${id}`))).status, 'SCHEDULED')
  await page.unroute(/[/]start/)
  await start.click()
  await state(page, 'Completed')
  await close(page)
})

step('its chart tells what was before the page was opened', async () => {
  const { stack } = scene
  const id = await campaignTo(stack, phones(40), { name: 'In the morning' })
  await start(stack, id)
  await eventually('it is over, and a sample tells of it', async () => {
    const { status } = await ok(stack.api.get(`/campaigns/${id}`))
    const { data } = await ok(stack.console.get(`/campaigns/${id}/progress`))
    return status === 'COMPLETED' && data.at(-1)?.sent === 40
  })
  // Backdates the campaign and its samples.
  await stack.sql`
    update campaigns
    set started_at = started_at - interval '10 minutes', completed_at = completed_at - interval '5 minutes'
    where name = 'In the morning'`
  await stack.sql`
    update campaign_samples s set at = s.at - interval '6 minutes'
    from campaigns c where c.id = s.campaign_id and c.name = 'In the morning'`
  const page = await scene.open(`campaigns/${id}`)
  const rows = page.locator('table', { hasText: 'since the campaign began' }).locator('tbody tr')
  await rows.nth(2).waitFor({ state: 'attached' })
  const bars = await rows.evaluateAll((all) =>
    all.map((row) =>
      [...row.querySelectorAll('td')].reduce((sum, { textContent }) => sum + Number(textContent), 0),
    ),
  )
  assert.deepEqual([bars[0], bars.at(-1)], [0, 40], 'each recipient is in one part of a bar')
  assert.ok(bars.slice(1, -1).includes(40), 'what was stored is between the begin and the end')
  await page.locator('.pace').getByText('5 min', { exact: false }).first().waitFor()
  await page.locator('.chart').scrollIntoViewIfNeeded()
  await screenshot(page, 'campaigns-chart')
  await assertAccessible(page)
  await close(page)
})

step('who has an unknown outcome is decided on, one and all', async () => {
  const id = await campaignTo(scene.stack, phones(3, '0007'), { name: 'Lost answers' })
  await ok(
    scene.stack.sim.put('/faults', { api: [{ match: 'messages', dropConnection: 'after', times: 3 }] }),
  )
  await start(scene.stack, id)
  const page = await scene.open(`campaigns/${id}`)
  await page.getByText('3 recipients need a decision.').waitFor()
  await ok(scene.stack.sim.put('/faults', {}))
  // One who hides the number.
  const userId = 'US.13491208655302741918'
  await scene.stack.sql`
    update recipients set wa_id = ${userId}
    where id = (select max(r.id::text)::uuid from recipients r join campaigns c on c.id = r.campaign_id
      where c.name = 'Lost answers')`
  await page.getByRole('button', { name: 'Decide' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('All 3 recipients').uncheck()
  await dialog
    .getByRole('checkbox', { name: /^\+1 5/ })
    .nth(1)
    .waitFor()
  await dialog.getByRole('checkbox', { name: userId }).check()
  await assertAccessible(page)
  await screenshot(page, 'campaigns-unknown')
  await dialog.getByRole('button', { name: 'Take 1 as sent' }).click()
  await page.getByText('2 recipients need a decision.').waitFor()
  await page.getByRole('button', { name: 'Decide' }).click()
  await dialog.getByLabel('Decision').selectOption('resend')
  await dialog.getByText('gets it a second time').waitFor()
  await dialog.getByRole('button', { name: 'Send again to 2' }).click()
  await page.getByText('need a decision').waitFor({ state: 'detached' })
  await shows(page, 'Sent', 1)
  await shows(page, 'Queued', 2)
  await close(page)
})

step('one that paused by itself says why and what to do, and the list shows them all', async () => {
  const id = await campaignTo(scene.stack, phones(5), { name: 'Reported as spam' })
  await ok(scene.stack.sim.put('/faults', { api: [{ match: 'messages', status: 400, code: 131048 }] }))
  await start(scene.stack, id)
  const page = await scene.open(`campaigns/${id}`)
  await page.getByText('too many customers blocked or reported it').waitFor()
  await ok(scene.stack.sim.put('/faults', {}))
  await page.getByRole('link', { name: 'Campaigns' }).first().click()
  const table = page.getByRole('region', { name: 'Campaigns' })
  await table.getByRole('row').filter({ hasText: 'Reported as spam' }).getByText('Paused').waitFor()
  await screenshot(page, 'campaigns-list')
  await setFilter(page, 'State', 'Paused')
  await table.getByText('Lost answers').waitFor({ state: 'detached' })
  await close(page)
})
