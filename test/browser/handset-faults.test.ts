// Configured faults and the traffic with the provider, on the simulator's page.

import { ok } from '../e2e/clients.ts'
import { eventually } from '../e2e/scene.ts'
import { after, before, describe, test } from '../support/harness.ts'
import { type HandsetScene, openHandsetScene, phoneOf, write } from './handset-scene.ts'
import { assertAccessible, assertNoFaults, screenshot } from './scene.ts'

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
})
