// How a person without an account becomes a member.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createPasswordHasher } from '../../src/accounts/password.ts'
import { createOperatorStore } from '../../src/accounts/store/operators.store.ts'
import { after, before, describe, test } from '../support/harness.ts'
import {
  assertAccessible,
  assertFits,
  assertNoFaults,
  type BrowserScene,
  dialog,
  openBrowserScene,
  screenshot,
  viewport,
} from './scene.ts'

describe('invitations', () => {
  let scene: BrowserScene

  before(async () => {
    scene = await openBrowserScene()
  })
  after(() => scene?.close())

  /** Invites from the page; returns the link that the page shows. */
  async function invite(page: Page, email: string): Promise<string> {
    await page.getByRole('button', { name: 'Invite member' }).click()
    await dialog(page).getByLabel('E-mail').fill(email)
    await page.keyboard.press('Enter')
    const shown = dialog(page, 'Invitation link')
    const link = await shown.locator('code').innerText()
    await screenshot(page, 'invitation-link-light')
    await assertAccessible(page)
    await shown.getByLabel('I have copied it').check()
    await shown.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: new RegExp(`${email}.*Agent`) }).waitFor()
    return link
  }

  test('a link lets a new operator in, and no request for a page ever carries its token', async () => {
    const page = await scene.open('members')
    await page.getByRole('button', { name: 'Invite member' }).click()
    await dialog(page).getByLabel('E-mail').fill('not an address')
    await page.keyboard.press('Enter')
    await dialog(page).locator('.field-error').getByText('Enter an e-mail address').waitFor()
    await screenshot(page, 'invite-form-light')
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await dialog(page, 'Discard what you typed?').getByRole('button', { name: 'Discard' }).click()
    await dialog(page).first().waitFor({ state: 'detached' })
    const link = await invite(page, 'noa@northdock.example')
    await screenshot(page, 'members-invited-light')

    const theirs = await scene.newPage()
    const asked: string[] = []
    theirs.on('request', (request) => asked.push(request.url()))
    await theirs.goto(link)
    await theirs.getByRole('heading', { level: 1, name: 'Join North Dock' }).waitFor()
    for (const [theme, isNarrow] of [
      ['light', false],
      ['dark', false],
      ['light', true],
    ] as const) {
      await theirs.emulateMedia({ colorScheme: theme })
      await theirs.setViewportSize(viewport(isNarrow))
      await assertAccessible(theirs)
      await assertFits(theirs)
      await screenshot(theirs, `invite-${isNarrow ? 'narrow' : theme}`)
    }
    await theirs.setViewportSize(viewport(false))
    await theirs.getByLabel('Your name').fill('Noa Brandt')
    await theirs.getByLabel('Password').fill('too short')
    await theirs.getByText('3 more to go.').waitFor()
    await theirs.keyboard.press('Enter')
    await theirs.getByText('Use at least 12 characters').first().waitFor()
    await screenshot(theirs, 'invite-refused-light')
    await theirs.getByLabel('Password').fill('long enough for all')
    await theirs.keyboard.press('Enter')
    await theirs.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    const token = link.split('#')[1] ?? assert.fail(link)
    assert.ok(asked.length > 5)
    assert.deepEqual(
      asked.filter((url) => url.replace(/#.*/, '').includes(token)),
      [],
    )
    await theirs.goto(link)
    await theirs.getByText('This invitation no longer works').waitFor()
    await screenshot(theirs, 'invite-over-light')
    await assertAccessible(theirs)
    await theirs.getByRole('link', { name: 'Open the console' }).click()
    await theirs.getByText('Noa Brandt').first().waitFor()
    await page.reload()
    await page.getByRole('row', { name: /Noa Brandt.*Agent/ }).waitFor()
    assertNoFaults(page)
    assertNoFaults(theirs)
    await page.close()
    await theirs.close()
  })

  test('a link does not tell whether the address has an account, and lets in with the password of one', async () => {
    const page = await scene.open('members')
    const [email, password] = ['ada@northdock.example', 'ferry lantern oats']
    const passwordHash = await createPasswordHasher({ logN: 12 }).hash(password)
    await createOperatorStore(scene.stack.sql).create({
      email,
      name: 'Ada',
      passwordHash,
      platformOwner: false,
    })
    const link = await invite(page, email)
    const theirs = await scene.newPage()
    await theirs.goto(link)
    await theirs.getByLabel('Your name').fill('Ada')
    await theirs.getByLabel('Password').fill('another fine one')
    await theirs.keyboard.press('Enter')
    await theirs
      .getByRole('alert')
      .getByText(/^This did not let you in/)
      .waitFor()
    await theirs.getByRole('button', { name: 'I have an account' }).click()
    await assertAccessible(theirs)
    await screenshot(theirs, 'invite-existing-light')
    await theirs.getByLabel('Password').fill(password)
    await theirs.getByRole('button', { name: 'Sign in and join' }).click()
    await theirs.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.reload()
    const row = (name: RegExp) => page.getByRole('row', { name })
    assert.equal(
      await row(/Ada.*Agent/)
        .getByText('Not verified')
        .count(),
      0,
    )
    await row(/Noa Brandt.*Agent/)
      .getByText('Not verified')
      .waitFor()
    await page.close()
    await theirs.close()
  })

  test('an open invitation gets a new link, and is revoked', async () => {
    const page = await scene.open('members')
    const email = 'kim@northdock.example'
    const first = await invite(page, email)
    const act = async (item: string) => {
      await page.getByRole('button', { name: `Actions for ${email}` }).click()
      await page.getByRole('menuitem', { name: item, exact: true }).click()
    }
    await act('Make a new link')
    await dialog(page).getByText('Its link ends with the new one.').waitFor()
    await dialog(page).getByRole('button', { name: 'Make invitation link' }).click()
    const second = await dialog(page, 'Invitation link').locator('code').innerText()
    await dialog(page).getByLabel('I have copied it').check()
    await dialog(page).getByRole('button', { name: 'Done' }).click()
    const theirs = await scene.newPage()
    await theirs.goto(first)
    await theirs.getByText('This invitation no longer works').waitFor()
    // The same page with another fragment.
    await theirs.goto(second)
    await theirs.getByRole('heading', { level: 1, name: 'Join North Dock' }).waitFor()
    await act('Revoke')
    await dialog(page).getByRole('button', { name: 'Revoke invitation' }).click()
    await page.getByRole('row', { name: new RegExp(email) }).waitFor({ state: 'detached' })
    await theirs.getByLabel('Your name').fill('Kim')
    await theirs.getByLabel('Password').fill('long enough for all')
    await theirs.keyboard.press('Enter')
    await theirs.getByRole('alert').getByText('This invitation is used, revoked or expired.').waitFor()
    assertNoFaults(page)
    assertNoFaults(theirs)
    await page.close()
  })
})
