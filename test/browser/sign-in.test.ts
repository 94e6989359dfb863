import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { totpCode, totpStep } from '../../src/accounts/totp.ts'
import { signIn } from '../e2e/clients.ts'
import { after, before, describe, test } from '../support/harness.ts'
import {
  assertAccessible,
  assertFits,
  assertNoFaults,
  type BrowserScene,
  focused,
  openBrowserScene,
  screenshot,
  viewport,
} from './scene.ts'
import { again, draftsAreOnesOwn, fill, other, otherJoins, signedIn } from './sign-in-steps.ts'

describe('the sign-in', () => {
  let scene: BrowserScene

  before(async () => {
    scene = await openBrowserScene()
  })
  after(() => scene?.close())

  test('leads to the page that was asked for, and out again', async () => {
    const page = await scene.newPage()
    const { email, password } = scene.stack.operator
    await page.goto(scene.urlOf('deliveries?state=FAILED'))
    await page.getByRole('heading', { name: 'Sign in to Switchboard' }).waitFor()
    await focused(page.getByLabel('E-mail'))
    await assertAccessible(page)
    await screenshot(page, 'sign-in-light')
    await fill(page, email, 'not the password')
    await page.getByRole('alert').getByText('The e-mail, the password or the code is wrong.').waitFor()
    await fill(page, email, password)
    await page.getByRole('heading', { level: 1, name: 'Delivery log' }).waitFor()
    await page.getByRole('button', { name: 'State: Failed' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in to Switchboard' }).waitFor()
    assertNoFaults(page)
  })

  const keyForm = (page: Page) => page.getByRole('dialog', { name: 'Create an API key' })

  async function beginKey(page: Page, name: string): Promise<void> {
    await page.getByRole('button', { name: 'Create key' }).click()
    await keyForm(page).getByLabel('Name').fill(name)
    await keyForm(page).getByLabel('Read messages').check()
  }

  const createKey = (page: Page) => keyForm(page).getByRole('button', { name: 'Create key' }).click()

  test('a form that is half written when the session ends is sent after signing in over it', async () => {
    const page = await signedIn(scene, 'keys')
    await beginKey(page, 'survivor')
    await page.context().clearCookies()
    await createKey(page)
    await again(page).waitFor()
    const password = again(page).getByLabel('Password')
    // The address is known already.
    await focused(password)
    await screenshot(page, 'sign-in-again-light')
    await assertAccessible(page)
    await page.keyboard.press('Escape')
    await password.fill('not the password')
    await password.press('Enter')
    await again(page).getByText('The e-mail, the password or the code is wrong.').waitFor()
    await password.fill(scene.stack.operator.password)
    await password.press('Enter')
    const shown = page.getByRole('dialog', { name: 'Your new key' })
    await shown.getByText(/^ck_/).waitFor()
    await shown.getByLabel('I have stored it safely').check()
    await shown.getByRole('button', { name: 'Done' }).click()
    const row = page.getByRole('row', { name: /survivor/ })
    await row.first().waitFor()
    assert.equal(await row.count(), 1, 'it was sent once')
    assertNoFaults(page)
    await page.close()
  })

  test('the end of a session that the live socket tells leaves the page as it is', async () => {
    const page = await signedIn(scene, 'overview')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await scene.stack.sql`delete from sessions`
    await again(page).waitFor()
    await again(page).getByLabel('Password').fill(scene.stack.operator.password)
    await again(page).getByRole('button', { name: 'Sign in' }).click()
    await again(page).waitFor({ state: 'detached' })
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    await page.close()
  })

  test('what one operator wrote is not sent when another signs in over it', async () => {
    await otherJoins(scene)
    const page = await signedIn(scene, 'keys')
    await beginKey(page, 'not hers')
    await page.context().clearCookies()
    await createKey(page)
    const posts: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') posts.push(new URL(request.url()).pathname)
    })
    await again(page).getByLabel('E-mail').fill(other.email)
    await again(page).getByLabel('Password').fill(other.password)
    await again(page).getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(other.name).waitFor()
    await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
    assert.deepEqual(posts, ['/console/api/session'])
    await page.close()
  })

  test('what one operator has begun to write is neither shown to the next nor sent in that name', () =>
    draftsAreOnesOwn(scene))

  test('never leads elsewhere than into the console', async () => {
    const page = await scene.newPage()
    const { email, password } = scene.stack.operator
    await page.goto(`${scene.origin}/console/sign-in?next=${encodeURIComponent('//elsewhere.example/')}`)
    await fill(page, email, password)
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    assert.equal(new URL(page.url()).origin, scene.origin)
  })

  test('where the workspace requires a second factor, it is turned on before anything else is shown', async () => {
    const { operator, sql } = scene.stack
    await sql`update sessions set proved_at = now()`
    const page = await scene.open('keys')
    const dialog = (name: string) => page.getByRole('dialog', { name })
    await sql`update workspaces set second_factor_from = now()`
    await page.getByRole('link', { name: 'Audit log' }).click()
    await page.getByRole('heading', { level: 1, name: /requires a second factor$/ }).waitFor()
    assert.equal(await page.getByRole('navigation', { name: 'Pages' }).count(), 0)
    await screenshot(page, 'second-factor-required-light')
    await assertAccessible(page)
    await page.setViewportSize(viewport(true))
    await assertFits(page)
    await page.setViewportSize(viewport(false))
    await page.getByRole('button', { name: 'Turn on' }).click()
    const form = dialog('Turn on the second factor')
    const seed = (await form.locator('.seed').innerText()).replaceAll(' ', '')
    await form.getByLabel('Password').fill(operator.password)
    await form.getByLabel('Six-digit code').fill(totpCode(seed, totpStep(Date.now())))
    await form.getByRole('button', { name: 'Turn on' }).click()
    const shown = dialog('Your recovery codes')
    await shown.getByLabel('I have stored them safely').check()
    await shown.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()

    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByText('Required', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Change requirement' }).click()
    const requirement = dialog('Second factor of members')
    await requirement.getByRole('button', { name: 'Cancel' }).click()
    await sql`update workspaces set second_factor_from = now() + interval '5 days'`
    await page.reload()
    await page.getByText(/^Required from /).waitFor()
    await page.getByRole('button', { name: 'Change requirement' }).click()
    await requirement.getByRole('option', { name: /^As it is: from / }).waitFor({ state: 'attached' })
    await requirement.getByRole('button', { name: 'Save' }).click()
    await requirement.waitFor({ state: 'detached' })
    await page.getByText(/^Required from /).waitFor()
    await page.getByRole('button', { name: 'Change requirement' }).click()
    await requirement.getByLabel('Require a second factor').uncheck()
    await requirement.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Each member decides').waitFor()
    await page.getByRole('button', { name: 'Change limits' }).click()
    const limits = dialog('How long sessions last')
    await limits.getByLabel('Without use').selectOption({ label: '30 minutes' })
    await assertAccessible(page)
    await limits.getByRole('button', { name: 'Save' }).click()
    await page.getByText('End 7 days after the sign-in, or after 30 minutes without use').waitFor()
    await screenshot(page, 'sign-in-rules-light')
    assertNoFaults(page)
    await sql`update sessions set last_seen_at = now() - interval '31 minutes'`
    await page.reload()
    await page.getByRole('heading', { name: 'Sign in to Switchboard' }).waitFor()
    await page.close()
    await sql`update workspaces set idle_minutes = null`
    await sql`update operators set totp_seed = null`
    await sql`delete from recovery_codes`
  })

  test('an open page that nobody uses tells so with what it asks by itself', async () => {
    const page = await scene.open('conversations')
    await page.clock.install()
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Conversations' }).waitFor()
    const look = (isUnattended: boolean) =>
      page.waitForRequest(
        (request) =>
          request.url().includes('/conversations') && 'x-unattended' in request.headers() === isUnattended,
      )
    const unattended = look(true)
    await page.clock.fastForward('02:00')
    await unattended
    const attended = look(false)
    await page.keyboard.press('Shift')
    await attended
    await page.close()
  })

  test('asks for the code of a second factor, and takes a recovery code in its place', async () => {
    const { origin, stack } = scene
    const cookie = await signIn(origin, stack.operator)
    const headers = { cookie, 'content-type': 'application/json' }
    const offer = await fetch(`${origin}/console/api/me/totp`, { method: 'POST', headers })
    const { seed } = (await offer.json()) as { seed: string }
    const step = totpStep(Date.now())
    const body = JSON.stringify({ password: stack.operator.password, code: totpCode(seed, step) })
    const added = await fetch(`${origin}/console/api/me/totp`, { method: 'PUT', headers, body })
    assert.equal(added.status, 200)
    const { recoveryCodes } = (await added.json()) as { recoveryCodes: string[] }

    const page = await scene.newPage()
    await page.goto(`${origin}/console`)
    await fill(page, stack.operator.email, stack.operator.password)
    const code = page.getByLabel('Six-digit code')
    await focused(code)
    await assertAccessible(page)
    await screenshot(page, 'sign-in-code-light')
    // A code is valid only once, so this uses the next one, which is accepted early.
    await code.fill(totpCode(seed, step + 1))
    await code.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()

    // Over the page as well: after the password comes the second factor.
    await page.context().clearCookies()
    // Not with the pointer: what the page asks by itself may have opened the sign-in over it already.
    await page.getByRole('link', { name: 'Audit log' }).dispatchEvent('click')
    await again(page).getByLabel('Password').fill(stack.operator.password)
    await again(page).getByLabel('Password').press('Enter')
    await again(page).getByRole('button', { name: 'Use a recovery code instead' }).click()
    await again(page)
      .getByLabel('Recovery code', { exact: true })
      .fill(recoveryCodes[1] ?? '')
    await again(page).getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()

    await page.getByRole('button', { name: 'Sign out' }).click()
    await fill(page, stack.operator.email, stack.operator.password)
    await page.getByRole('button', { name: 'Use a recovery code instead' }).click()
    const recovery = page.getByLabel('Recovery code', { exact: true })
    await focused(recovery)
    await screenshot(page, 'sign-in-recovery-light')
    await recovery.fill('AAAA-BBBB-CCCC-DDDD')
    await recovery.press('Enter')
    await page.getByRole('alert').getByText('That recovery code is wrong or used up.').waitFor()
    await recovery.fill(recoveryCodes[0]?.toLowerCase() ?? '')
    await recovery.press('Enter')
    await page.getByText('That recovery code is used up. 8 are left.').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Audit log' }).waitFor()
    assertNoFaults(page)
  })

  test('says how long to wait after too many failures', async () => {
    const page = await scene.newPage({ theme: 'dark' })
    await page.goto(`${scene.origin}/console`)
    const waiting = page.getByText(/^Too many failed attempts\. Try again in \d+ s\.$/)
    const wrong = page.getByRole('alert').getByText('The e-mail, the password or the code is wrong.')
    const email = 'nobody@northdock.example'
    const guesses: Promise<unknown>[] = []
    for (let attempt = 1; attempt <= 8 && !(await waiting.isVisible()); attempt += 1) {
      // A guess counts when it arrives, and one in twelve seconds is allowed again. The form's comes while these wait
      // for their turn, which may last longer on a slow machine, so nobody asks what they were answered.
      const guess = { data: { email, password: 'a guess' }, headers: { origin: scene.origin } }
      const five = Array.from({ length: 5 }, () =>
        page.context().request.post(`${scene.origin}/console/api/session`, guess),
      )
      guesses.push(Promise.allSettled(five))
      await fill(page, email, `guess ${attempt}`)
      await page.locator('button:not([aria-busy])', { hasText: 'Sign in' }).waitFor()
      await wrong.or(waiting).waitFor()
    }
    await waiting.waitFor()
    assert.ok(await page.getByRole('button', { name: 'Sign in' }).isDisabled())
    await screenshot(page, 'sign-in-limited-dark')
    await assertAccessible(page)
    await Promise.all(guesses)
  })
})
