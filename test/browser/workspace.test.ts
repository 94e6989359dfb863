// The administration of a workspace: its templates, members, settings and audit log.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createPasswordHasher } from '../../src/accounts/password.ts'
import { createOperatorStore } from '../../src/accounts/store/operators.store.ts'
import { ok } from '../e2e/clients.ts'
import { eventually } from '../e2e/scene.ts'
import { after, before, describe, test } from '../support/harness.ts'
import {
  assertAccessible,
  assertFits,
  assertNoFaults,
  type BrowserScene,
  dialog,
  filterChip,
  focused,
  notice,
  openBrowserScene,
  screenshot,
  setFilter,
  viewport,
} from './scene.ts'

const colleague = { email: 'ada@northdock.example', name: 'Ada Marlow', password: 'another password' }

describe('the pages of a workspace', () => {
  let scene: BrowserScene

  before(async () => {
    scene = await openBrowserScene()
    const { email, name, password } = colleague
    const passwordHash = await createPasswordHasher({ logN: 12 }).hash(password)
    await createOperatorStore(scene.stack.sql).create({ email, name, passwordHash, platformOwner: false })
  })
  after(() => scene?.close())

  test('a template is written beside its preview, corrected, submitted and approved', async () => {
    const page = await scene.open('templates')
    await page.getByRole('link', { name: 'New template' }).click()
    const submit = page.getByRole('button', { name: 'Submit for approval' })
    await submit.click()
    await page.getByText('Use lower-case letters, digits and _').waitFor()
    // Work goes on where something is wrong.
    await focused(page.getByLabel('Name', { exact: true }))
    await page.getByLabel('Name', { exact: true }).fill('Parcel Ready')
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'parcel_ready')
    await page.getByLabel('Header', { exact: true }).selectOption('TEXT')
    await page.getByLabel('Header text').fill('{{shop}}')
    await page.getByLabel('Body').fill('Your parcel *{{parcel}}* waits for you, {{first_name}}')
    await page.getByLabel('Footer').fill('North Dock')
    await page.getByRole('button', { name: 'Add button' }).click()
    const button = page.getByRole('group', { name: 'Button 1' })
    await button.getByLabel('Button 1 does').selectOption('URL')
    await button.getByLabel('Text').fill('Where is it?')
    await button.getByLabel('Address').fill('https://northdock.example/{{1}}')
    await submit.click()
    assert.equal(await page.getByText('The review needs this').count(), 4)
    const preview = page.getByRole('figure', { name: 'What the customer sees' })
    await preview.getByText('{{parcel}}').waitFor()
    for (const [label, example] of [
      ['{{shop}} in the header', 'Dock 7'],
      ['{{parcel}}', 'A-4471'],
      ['{{first_name}}', 'Ines'],
      ['Example of {{1}}', 'A-4471'],
    ] as const)
      await page.getByLabel(label, { exact: true }).fill(example)
    await preview.locator('strong', { hasText: 'A-4471' }).waitFor()
    await preview.getByText('Dock 7').waitFor()
    await screenshot(page, 'template-form-light')
    await assertAccessible(page)

    await submit.click()
    await page
      .locator('.field-error')
      .getByText(/Variables cannot be at the start or end of the body/)
      .waitFor()
    await focused(page.getByLabel('Body', { exact: true }))
    await screenshot(page, 'template-refused-light')
    await page.getByLabel('Body').fill('Your parcel *{{parcel}}* waits for you, {{first_name}}.')
    await submit.click()
    await notice(page, 'parcel_ready is submitted for approval.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'parcel_ready' }).waitFor()
    // The simulator approves the template, and the page updates itself.
    await page.getByText('Approved', { exact: true }).waitFor()
    await page.getByRole('figure').getByText('Where is it?').waitFor()
    await page.getByText('"button.0": "A-4471"').waitFor()
    assertNoFaults(page)
    await page.close()
  })

  test('templates are found by the filters, and a rejected one says why', async () => {
    const page = await scene.open('templates?status=REJECTED')
    await page.getByRole('button', { name: 'Status: Rejected' }).waitFor()
    await page.getByRole('link', { name: 'refused' }).click()
    await page.getByText('Invalid format').waitFor()
    await screenshot(page, 'template-rejected-light')
    await assertAccessible(page)
    await page.getByRole('link', { name: 'Templates' }).last().click()
    await setFilter(page, 'Name contains', 'ready')
    await setFilter(page, 'Language', 'pt_PT')
    await page.getByRole('row').nth(2).waitFor({ state: 'detached' })
    assert.match(page.url(), /language=pt_PT/)
    assert.match(await page.getByRole('row').nth(1).innerText(), /^order_ready/)
    await setFilter(page, 'Language', 'xx')
    await page.getByText('No results').waitFor()
    await page.close()
  })

  test('a member joins, sees what the role allows, is promoted and removed', async () => {
    const page = await scene.open('members')
    await page.getByRole('button', { name: 'Invite member' }).click()
    await dialog(page).getByLabel('Role').selectOption({ label: 'Viewer' })
    await dialog(page).getByLabel('E-mail').fill(colleague.email)
    await page.keyboard.press('Enter')
    const link = await dialog(page, 'Invitation link').locator('code').innerText()
    await dialog(page).getByLabel('I have copied it').check()
    await dialog(page).getByRole('button', { name: 'Done' }).click()

    const hers = await scene.newPage()
    await hers.goto(link)
    await hers.getByText('as a viewer').waitFor()
    await hers.getByRole('button', { name: 'I have an account' }).click()
    await hers.getByLabel('Password').fill(colleague.password)
    await hers.getByRole('button', { name: 'Sign in and join' }).click()
    await hers.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.reload()
    await page.getByRole('row', { name: /Ada Marlow.*Viewer/ }).waitFor()
    await hers.goto(scene.urlOf('members'))
    await hers.getByRole('row', { name: /Ada Marlow You/ }).waitFor()
    assert.equal(await hers.getByRole('button', { name: /Invite member|Actions for/ }).count(), 0)
    await hers.goto(scene.urlOf('templates/new'))
    await hers.getByText('Templates are submitted by admins and owners').waitFor()
    await hers.goto(scene.urlOf('settings'))
    await hers.getByText('Retention and limits').waitFor()
    assert.equal(await hers.getByRole('button', { name: /Rename|Suspend/ }).count(), 0)

    const act = async (item: string, of: string) => {
      await page.getByRole('button', { name: `Actions for ${of}` }).click()
      await page.getByRole('menuitem', { name: item, exact: true }).click()
    }
    await act('Change role', colleague.name)
    await dialog(page).getByLabel('Role').selectOption({ label: 'Admin' })
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await notice(page, `${colleague.email} is an admin now.`).waitFor()
    await page.getByRole('row', { name: /Ada Marlow.*Admin/ }).waitFor()
    await hers.goto(scene.urlOf('templates'))
    await hers.getByRole('link', { name: 'New template' }).waitFor()

    await act('Change role', 'Demo Operator')
    await dialog(page).getByLabel('Role').selectOption({ label: 'Agent' })
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await dialog(page)
      .getByText(/keeps at least one owner/)
      .waitFor()
    await page.keyboard.press('Escape')
    await dialog(page, 'Discard what you typed?').getByRole('button', { name: 'Discard' }).click()
    await dialog(page).first().waitFor({ state: 'detached' })
    await act('Remove', colleague.name)
    await dialog(page, 'Remove Ada Marlow?').getByRole('button', { name: 'Remove member' }).click()
    await page.getByRole('row', { name: /Ada Marlow/ }).waitFor({ state: 'detached' })
    await hers.reload()
    await hers.getByText('You belong to no workspace yet').waitFor()
    assertNoFaults(page)
    await page.close()
  })

  test('the workspace is renamed, suspended and resumed by who runs the installation', async () => {
    const page = await scene.open('settings')
    await page.getByRole('button', { name: 'Rename' }).click()
    await dialog(page).getByLabel('Name').fill('South Dock')
    await page.keyboard.press('Enter')
    await page.locator('.brand').getByText('South Dock').waitFor()
    await page.getByRole('button', { name: 'Suspend' }).click()
    await screenshot(page, 'suspend-light')
    await dialog(page, 'Suspend South Dock?').getByRole('button', { name: 'Suspend workspace' }).click()
    await page.getByText('This workspace is suspended').waitFor()
    const { status } = await fetch(`${scene.origin}/api/v1/templates`, {
      headers: { authorization: `Bearer ${scene.stack.key}` },
    })
    assert.equal(status, 403)
    await page.getByRole('button', { name: 'Resume' }).click()
    await dialog(page, 'Resume South Dock?').getByRole('button', { name: 'Resume workspace' }).click()
    await page.getByText('This workspace is suspended').waitFor({ state: 'detached' })
    assertNoFaults(page)
    await page.close()
  })

  test('the audit log is filtered, and shows what changed into what', async () => {
    const page = await scene.open('audit')
    await setFilter(page, 'Action', 'Members: All')
    await page
      .getByRole('row', { name: /Signed in/ })
      .first()
      .waitFor({ state: 'detached' })
    assert.match(page.url(), /action=member/)
    await setFilter(page, 'By', `Demo Operator (${scene.stack.operator.email})`)
    await page
      .getByRole('link', { name: `Gave a role to ${colleague.name}` })
      .first()
      .click()
    await dialog(page, `Gave a role to ${colleague.name}`)
      .getByRole('link', { name: colleague.name })
      .waitFor()
    const values = dialog(page).locator('.changes')
    assert.deepEqual(
      [await values.locator('del').innerText(), await values.locator('ins').innerText()].map((text) =>
        text.split('\n').at(-1)?.replace(/^.*: /, ''),
      ),
      ['Viewer', 'Admin'],
    )
    await screenshot(page, 'audit-entry-light')
    const entryUrl = page.url()
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
    assert.match(page.url(), /audit\?action=member&operatorId=/)
    await filterChip(page, 'Time').click()
    await page.getByLabel('From').fill('2999-01-01T00:00')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('Nothing matches the filters above.').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).last().click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ])
    assert.match(file.suggestedFilename(), /-audit-\d{4}-\d\d-\d\d\.csv$/)
    const lines = (await readFile(await file.path(), 'utf8')).split('\r\n')
    assert.ok(
      lines.some((line) => line.includes(`Gave a role to ${colleague.name}`)),
      lines.slice(0, 5).join('\n'),
    )
    await notice(page, /^Saved \d+ rows\.$/).waitFor()
    // An address leads to its entry, also where the list does not show it.
    await page.goto(`${entryUrl}&until=2000-01-01T00:00:00.000Z`)
    await dialog(page, `Gave a role to ${colleague.name}`).locator('.changes').waitFor()
    assertNoFaults(page)
    await page.close()
  })

  test('the message log leads from what failed to why, and on to its conversation', async () => {
    const { api } = scene.stack
    const template = { name: 'hello_world', language: 'en_US' }
    await ok(api.post('/messages/chat', { to: '+15557000001', template }), 202)
    await ok(api.post('/messages/chat', { to: '+15559990003', template }), 202)
    await eventually('one has failed and one was delivered', async () => {
      const { data } = await ok(api.get('/messages/chat?limit=10'))
      const statuses = data.map(({ status }: { status: string }) => status)
      return statuses.includes('FAILED') && statuses.some((status: string) => /DELIVERED|READ/.test(status))
    })
    const page = await scene.open('overview')
    await page.getByRole('link', { name: /^Messages failed/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Messages' }).waitFor()
    assert.match(page.url(), /messages\?status=FAILED&since=/)
    await page
      .getByRole('row', { name: /Failed/ })
      .getByRole('link')
      .first()
      .click()
    const drawer = dialog(page, /^Message to /)
    await drawer.getByText('What to do:').waitFor()
    assert.match(page.url(), /messages\/msg_/)
    await screenshot(page, 'message-failed-light')
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Clear filters' }).last().click()
    await setFilter(page, 'Template', 'hello_world')
    await setFilter(page, 'Contact', '+15557000001')
    await page
      .getByRole('row', { name: /hello_world/ })
      .getByRole('link')
      .first()
      .click()
    await drawer.getByText('Handed to the provider').waitFor()
    await drawer.getByRole('button', { name: 'Copy message ID' }).waitFor()
    await drawer.getByRole('button', { name: 'Copy provider ID' }).waitFor()
    await screenshot(page, 'messages-one-light')
    await assertAccessible(page)
    // Its address opens it again.
    await page.reload()
    await drawer.getByText('Handed to the provider').waitFor()
    await page.emulateMedia({ colorScheme: 'dark' })
    await assertAccessible(page, ['color-contrast'])
    await screenshot(page, 'messages-one-dark')
    await page.setViewportSize(viewport(true))
    await assertFits(page)
    await screenshot(page, 'messages-one-narrow')
    await drawer.getByRole('link', { name: /555/ }).first().click()
    await page.waitForURL(/conversations\/cnv_.*message=msg_/)
    assertNoFaults(page)
    await page.close()
  })
})
