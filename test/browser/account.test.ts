// How operators prove who they are: again before they see secrets, with a second factor, for each session.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { totpCode, totpStep } from '../../src/accounts/totp.ts'
import { ok } from '../e2e/clients.ts'
import { after, before, describe, test } from '../support/harness.ts'
import {
  assertAccessible,
  assertNoFaults,
  type BrowserScene,
  dialog,
  notice,
  openBrowserScene,
  screenshot,
} from './scene.ts'

describe('an operator’s account', () => {
  let scene: BrowserScene
  /** The recovery codes of the second factor, once it is on. */
  let codes: string[] = []

  before(async () => {
    scene = await openBrowserScene()
  })
  after(() => scene?.close())

  const forgetProofs = () => scene.stack.sql`update sessions set proved_at = now() - interval '1 day'`

  /** Opens the page in a new browser context and signs in. */
  async function enter(path: string, options = {}): Promise<Page> {
    const page = await scene.newPage(options)
    await page.goto(scene.urlOf(path))
    await giveCredentials(page)
    return page
  }

  async function giveCredentials(page: Page): Promise<void> {
    const { email, password } = scene.stack.operator
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  const account = (page: Page) => page.getByRole('heading', { level: 1, name: 'My account' }).waitFor()

  test('what needs a fresh proof asks for the password once, and goes on by itself', async () => {
    const { password } = scene.stack.operator
    const page = await scene.open('keys')
    await forgetProofs()
    await page.getByRole('button', { name: 'Create key' }).click()
    const form = dialog(page, 'Create an API key')
    await form.getByLabel('Name').fill('orders')
    await form.getByLabel('Send messages').check()
    await form.getByRole('button', { name: 'Create key' }).click()
    const question = dialog(page, 'Confirm that it is you')
    await question.waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    assert.equal(await form.getByLabel('Name').inputValue(), 'orders', 'nothing that was written is lost')
    assert.equal(await form.locator('.problem').count(), 0, 'going back is no failure')

    await form.getByRole('button', { name: 'Create key' }).click()
    await screenshot(page, 'step-up-light')
    await assertAccessible(page)
    await question.getByLabel('Password').fill('not the password')
    await page.keyboard.press('Enter')
    await question.getByText('That is not your current password', { exact: true }).waitFor()
    await question.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await dialog(page, 'Your new key').getByText(/^ck_/).waitFor()
    assert.equal(await question.count(), 0)
    assertNoFaults(page)
    await page.close()
  })

  test('where messages go needs a fresh proof, the name of the endpoint none', async () => {
    const { console, operator, sql } = scene.stack
    await sql`update sessions set proved_at = now()`
    await ok(
      console.post('/endpoints', { name: 'Shop', url: 'https://127.0.0.1:9/', events: ['call.status'] }),
      201,
    )
    const page = await scene.open('endpoints')
    await page.getByRole('link', { name: 'Shop' }).click()
    await forgetProofs()
    const edit = async (label: string, text: string) => {
      await page.getByRole('button', { name: 'Edit', exact: true }).click()
      const form = dialog(page, 'Edit endpoint')
      await form.getByLabel(label).fill(text)
      await form.getByRole('button', { name: 'Save' }).click()
      return form
    }
    await (await edit('Name', 'Store')).waitFor({ state: 'detached' })
    await page.getByRole('heading', { level: 1, name: 'Store' }).waitFor()
    const form = await edit('Address', 'https://127.0.0.1:10/')
    const question = dialog(page, 'Confirm that it is you')
    await question.getByLabel('Password').fill(operator.password)
    await page.keyboard.press('Enter')
    await form.waitFor({ state: 'detached' })
    await page.getByText('https://127.0.0.1:10/').waitFor()
    await page.getByText('Address changed').waitFor()
    assertNoFaults(page)
    await page.close()
  })

  test('a second factor is turned on with a code, and its recovery codes are shown once', async () => {
    const { password } = scene.stack.operator
    const page = await scene.open('account')
    await page.getByRole('button', { name: 'Turn on' }).click()
    const form = dialog(page, 'Turn on the second factor')
    await form.getByRole('img', { name: /^QR code/ }).waitFor()
    await screenshot(page, 'second-factor-light')
    await assertAccessible(page)
    const seed = (await form.locator('.seed').innerText()).replaceAll(' ', '')
    await form.getByLabel('Password').fill(password)
    await form.getByLabel('Six-digit code').fill('000000')
    await form.getByRole('button', { name: 'Turn on' }).click()
    await form.getByText(/^That code is wrong or expired/).waitFor()
    const step = totpStep(Date.now())
    await form.getByLabel('Six-digit code').fill(totpCode(seed, step))
    await form.getByRole('button', { name: 'Turn on' }).click()
    const shown = dialog(page, 'Your recovery codes')
    await shown.waitFor()
    codes = await shown.getByRole('listitem').allInnerTexts()
    assert.equal(codes.length, 10)
    await screenshot(page, 'recovery-codes-light')
    await assertAccessible(page)
    const started = page.waitForEvent('download')
    await shown.getByRole('button', { name: 'Download' }).click()
    const file = await readFile(await (await started).path(), 'utf8')
    for (const code of codes) assert.ok(file.includes(code))
    await page.keyboard.press('Escape')
    assert.ok(await shown.isVisible(), 'they do not go before they are kept')
    await shown.getByLabel('I have stored them safely').check()
    await shown.getByRole('button', { name: 'Done' }).click()
    await page.getByText('10 codes left').waitFor()
    assert.ok(!(await page.content()).includes(codes[0] ?? ''), 'they are nowhere any more')
    assertNoFaults(page)

    await page.getByRole('button', { name: 'Sign out' }).click()
    await giveCredentials(page)
    // A code is valid only once, so this uses the next one, which is accepted early.
    await page.getByLabel('Six-digit code').fill(totpCode(seed, step + 1))
    await page.keyboard.press('Enter')
    await account(page)
    await page.close()
  })

  test('recovery codes stand in at the sign-in and at the question, and are made anew', async () => {
    const { password } = scene.stack.operator
    const page = await enter('account', { theme: 'dark' })
    await page.getByRole('button', { name: 'Use a recovery code instead' }).click()
    await page.getByLabel('Recovery code', { exact: true }).fill(codes[0] ?? '')
    await page.keyboard.press('Enter')
    await notice(page, 'That recovery code is used up. 9 are left.').waitFor()
    await page.getByText('9 codes left').waitFor()

    await forgetProofs()
    await page.getByRole('button', { name: 'New recovery codes' }).click()
    const form = dialog(page, 'New recovery codes')
    await form.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    const question = dialog(page, 'Confirm that it is you')
    await question.getByLabel('Six-digit code').waitFor()
    assert.equal(await question.getByLabel('Password').count(), 0, 'it was just given')
    await question.getByRole('button', { name: 'Use a recovery code instead' }).click()
    await question.getByLabel('Recovery code', { exact: true }).fill(codes[0] ?? '')
    await screenshot(page, 'step-up-recovery-dark')
    await page.keyboard.press('Enter')
    await question.getByText('That code is wrong or expired', { exact: true }).waitFor()
    await question.getByLabel('Recovery code', { exact: true }).fill(codes[1] ?? '')
    await page.keyboard.press('Enter')
    const shown = dialog(page, 'Your recovery codes')
    await shown.waitFor()
    const fresh = await shown.getByRole('listitem').allInnerTexts()
    assert.deepEqual([fresh.length, codes.some((code) => fresh.includes(code))], [10, false])
    await shown.getByLabel('I have stored them safely').check()
    await shown.getByRole('button', { name: 'Done' }).click()
    await page.getByText('10 codes left').waitFor()
    await screenshot(page, 'account-second-factor-dark')
    await assertAccessible(page, ['color-contrast'])

    await page.getByRole('button', { name: 'Change password' }).click()
    const change = dialog(page, 'Change your password')
    await change.getByLabel('Current password').fill(password)
    for (const label of ['New password', 'New password again'])
      await change.getByLabel(label, { exact: true }).fill(password)
    await change.getByRole('button', { name: 'Use a recovery code instead' }).click()
    await change.getByLabel('Recovery code', { exact: true }).fill('AAAA-BBBB-CCCC-DDDD')
    await change.getByRole('button', { name: 'Change password' }).click()
    await change.getByText('That code is wrong or expired', { exact: true }).waitFor()
    await change.getByLabel('Recovery code', { exact: true }).fill(fresh[0] ?? '')
    await change.getByRole('button', { name: 'Change password' }).click()
    await notice(page, /^Your password is changed/).waitFor()
    await page.getByText('9 codes left').waitFor()

    await page.getByRole('button', { name: 'Turn off' }).click()
    await dialog(page, 'Turn off the second factor?').getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await notice(page, 'The second factor is off.').waitFor()
    await page.getByRole('button', { name: 'Turn on' }).waitFor()
    assertNoFaults(page)
    await page.close()
  })

  test('another session is ended from this one, then every other', async () => {
    await scene.stack.sql`delete from sessions`
    const page = await enter('account')
    await account(page)
    const rows = page.getByRole('region', { name: 'Sessions' }).getByRole('row')
    const elsewhere = await enter('account')
    await account(elsewhere)
    await page.reload()
    await rows.filter({ hasText: 'This device' }).waitFor()
    await screenshot(page, 'sessions-light')
    await rows.getByRole('button', { name: /^End the session/ }).click()
    await notice(page, /^The session in .* has ended\.$/).waitFor()
    await rows.nth(2).waitFor({ state: 'detached' })
    await elsewhere.getByRole('link', { name: 'Audit log' }).click()
    await dialog(elsewhere, 'Your session has ended').waitFor()

    await giveCredentials(elsewhere)
    await dialog(elsewhere, 'Your session has ended').waitFor({ state: 'detached' })
    await elsewhere.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'End all others' }).click()
    await dialog(page, 'End every other session?').getByRole('button', { name: 'End all others' }).click()
    await notice(page, 'Every other session has ended.').waitFor()
    await rows.nth(2).waitFor({ state: 'detached' })
    assert.equal(await rows.count(), 2, 'its heading and this one')
    assertNoFaults(page)
    await page.close()
  })

  test('a new password is judged by its length and by a list, and ends the sessions of the old one', async () => {
    const { email, password } = scene.stack.operator
    const page = await scene.newPage()
    const [live] = await Promise.all([
      page.waitForEvent('websocket'),
      page.goto(scene.urlOf('overview')).then(() => giveCredentials(page)),
    ])
    await live.waitForEvent('framereceived')
    await page.locator('a[href$="/account"]').first().click()
    const elsewhere = await enter('keys')
    await elsewhere.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    await page.getByRole('button', { name: 'Change password' }).click()
    const form = dialog(page, 'Change your password')
    await form.getByLabel('Current password').fill(password)
    await form.getByLabel('New password', { exact: true }).fill('too short')
    await form.getByText('3 more to go.').waitFor()
    await form.getByLabel('New password again').fill('too shor')
    await form.getByRole('button', { name: 'Change password' }).click()
    await form.getByText('The two are not the same').waitFor()
    await form.getByLabel('New password again').fill('too short')
    await form.getByRole('button', { name: 'Change password' }).click()
    await form.getByText('Use at least 12 characters', { exact: true }).waitFor()
    for (const label of ['New password', 'New password again'])
      await form.getByLabel(label, { exact: true }).fill('Password2026!')
    await form.getByRole('button', { name: 'Change password' }).click()
    await form.getByText(/^Choose another: this is one of the passwords/).waitFor()
    await screenshot(page, 'password-light')
    await assertAccessible(page)
    for (const label of ['New password', 'New password again'])
      await form.getByLabel(label, { exact: true }).fill('ferry lantern oats')
    const liveAgain = page.waitForEvent('websocket')
    await form.getByRole('button', { name: 'Change password' }).click()
    await notice(page, /^Your password is changed/).waitFor()
    // The server closes the socket of the old session; the page has a new one, and asks nobody to sign in.
    await liveAgain
    assert.equal(await page.getByRole('dialog').count(), 0)
    await page.reload()
    await account(page)
    await elsewhere.reload()
    await elsewhere.getByRole('heading', { name: 'Sign in to Switchboard' }).waitFor()
    await elsewhere.getByLabel('E-mail').fill(email)
    await elsewhere.getByLabel('Password').fill('ferry lantern oats')
    await elsewhere.keyboard.press('Enter')
    await elsewhere.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    assertNoFaults(page)
  })
})
