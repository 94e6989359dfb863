// The frame around the pages: its navigation, also on a telephone, and its theme.
import assert from 'node:assert/strict'
import { paths } from './every-page.ts'
import { assertAccessible, assertNoFaults, type BrowserScene } from './scene.ts'

export async function navigationLeadsToEveryPage(scene: BrowserScene): Promise<void> {
  const page = await scene.open('overview')
  const navigation = page.getByRole('navigation', { name: 'Pages' })
  const links = navigation.getByRole('link')
  assert.equal(await links.count(), paths.length)
  for (let index = 0; index < paths.length; index += 1) {
    const title = (await links.nth(index).innerText()).trim()
    await links.nth(index).click()
    await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
    assert.equal(await navigation.getByRole('link', { name: title }).getAttribute('aria-current'), 'page')
    assert.match(await page.title(), new RegExp(`^${title} · `))
  }
  await page.close()
}

export async function telephoneNavigationCloses(scene: BrowserScene): Promise<void> {
  const page = await scene.open('nowhere', { isNarrow: true })
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
  assert.match(await page.title(), /^Page not found · /)
  await page.getByRole('button', { name: 'Open the navigation' }).click()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor()
  await assertAccessible(page)
  await page.mouse.click(380, 500)
  await page.getByRole('button', { name: 'Open the navigation' }).waitFor()
  await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'hidden' })
  assertNoFaults(page)
  await page.close()
}

export async function themeStays(scene: BrowserScene): Promise<void> {
  const page = await scene.open('keys')
  const canvas = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
  const light = await canvas()
  await page.getByRole('radio', { name: 'Dark' }).check()
  const dark = await canvas()
  assert.notEqual(dark, light)
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()
  assert.equal(await canvas(), dark)
  await page.goto(`${scene.origin}/docs`)
  assert.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), dark)
  assertNoFaults(page)
  await page.goBack()
  await page.getByRole('radio', { name: 'As the system' }).check()
  await page.close()
}
