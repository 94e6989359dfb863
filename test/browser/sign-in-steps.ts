// Signing in by the form, and what becomes of one operator's work when another signs in.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { createPasswordHasher } from '../../src/accounts/password.ts'
import { createOperatorStore } from '../../src/accounts/store/operators.store.ts'
import { decodeId } from '../../src/shared/ids.ts'
import { type Json, ok } from '../e2e/clients.ts'
import { arrives } from '../e2e/media-steps.ts'
import type { BrowserScene } from './scene.ts'

export async function fill(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

export const again = (page: Page) => page.getByRole('dialog', { name: 'Your session has ended' })

export async function signedIn(scene: BrowserScene, path: string): Promise<Page> {
  const page = await scene.newPage()
  const { email, password } = scene.stack.operator
  await page.goto(scene.urlOf(path))
  await fill(page, email, password)
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  return page
}

export const other = { email: 'ada@northdock.example', name: 'Ada Marlow', password: 'another password' }

export async function otherJoins(scene: BrowserScene): Promise<void> {
  const { sql, workspaceId } = scene.stack
  const passwordHash = await createPasswordHasher({ logN: 12 }).hash(other.password)
  const operatorId = await createOperatorStore(sql).create({ ...other, passwordHash, platformOwner: false })
  await sql`insert into memberships (workspace_id, operator_id, role)
    values (${decodeId('workspace', workspaceId) ?? ''}, ${operatorId ?? ''}, 'OWNER')`
}

export async function draftsAreOnesOwn(scene: BrowserScene): Promise<void> {
  const { stack, origin } = scene
  const customer = '15557000002'
  const { conversationId } = await arrives(stack, customer, { type: 'text', text: 'Is the dock open?' })
  const page = await signedIn(scene, `conversations/${conversationId}`)
  const box = page.getByLabel('Your reply')
  const signOut = () => page.getByRole('button', { name: 'Sign out' }).click()
  await box.fill('Until eight, but')
  await signOut()
  await fill(page, other.email, other.password)
  await page.getByText(other.name).waitFor()
  assert.equal(await box.inputValue(), '')
  await box.fill('Hers')
  await signOut()
  await fill(page, stack.operator.email, stack.operator.password)
  await page.getByText(stack.operator.email).waitFor()
  assert.equal(await box.inputValue(), 'Until eight, but', 'it is still there for whoever wrote it')

  // Somebody else signs in in another tab: the cookie of this one is theirs.
  const answer = await page.context().request.post(`${origin}/console/api/session`, {
    data: { email: other.email, password: other.password },
    headers: { origin },
  })
  assert.equal(answer.status(), 200)
  await box.press('Enter')
  await again(page).waitFor()
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
  await page.getByText(other.name).waitFor()
  assert.equal(await box.inputValue(), 'Hers')
  const { inbox } = await ok(stack.sim.get(`/handsets/${customer}`))
  assert.deepEqual(inbox as Json[], [])
  await page.close()
}
