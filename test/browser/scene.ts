// The console in a real browser, with the whole product: gateway, worker, simulator and demo workspace.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import axe from 'axe-core'
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core'
import { eventually } from '../e2e/scene.ts'
import { type Stack, type StackOptions, startStack } from '../e2e/stack.ts'
import { afterAllFiles } from '../support/harness.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { findChromium } from './chromium.ts'

const artifacts = fileURLToPath(new URL('../artifacts/', import.meta.url))

export interface BrowserScene {
  readonly stack: Stack
  readonly browser: Browser
  readonly origin: string
  /** A page in a new browser context, not signed in. */
  newPage(options?: PageOptions): Promise<Page>
  /** A page of the workspace, such as `keys`, signed in as the owner. */
  open(path: string, options?: PageOptions): Promise<Page>
  /** The URL of a page of the workspace. */
  urlOf(path: string): string
  close(): Promise<void>
}

export interface PageOptions {
  readonly theme?: 'light' | 'dark'
  /** As wide as a phone. */
  readonly isNarrow?: boolean
}

let browser: Promise<Browser> | undefined

/** The browser of all files of this process. */
export function sharedBrowser(): Promise<Browser> {
  browser ??= launch()
  return browser
}

async function launch(): Promise<Browser> {
  const executablePath = await findChromium()
  // Chromium's sandbox needs more privileges than a container has, and the tests open no foreign pages. Without a
  // graphics card, drawing costs less without the layer that imitates one.
  const launched = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  afterAllFiles(() => launched.close())
  return launched
}

export async function openBrowserScene(options: StackOptions = {}): Promise<BrowserScene> {
  const browser = await sharedBrowser()
  const stack = await startStack(options)
  const contexts = new Map<string, BrowserContext>()
  try {
    const { origin } = stack.gateway(0)
    const urlOf = (path: string) => `${origin}/console/${stack.workspaceId}/${path}`
    const newContext = (page: PageOptions = {}) => browser.newContext(contextOptions(page))
    return {
      ...{ stack, browser, origin, urlOf },
      newPage: async (page) => prepared(await (await newContext(page)).newPage()),
      async open(path, page = {}) {
        const kind = JSON.stringify(page)
        const context = contexts.get(kind) ?? (await signedIn(await newContext(page), stack))
        contexts.set(kind, context)
        const opened = prepared(await context.newPage())
        await opened.goto(urlOf(path))
        await loaded(opened)
        return opened
      },
      async close() {
        await Promise.all(browser.contexts().map((context) => context.close()))
        await stack.stop()
      },
    }
  } catch (error) {
    await stack.stop().catch(() => undefined)
    throw error
  }
}

/** Waits until nothing on the page is loading. */
export async function loaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' })
}

export const dialog = (page: Page, name?: string | RegExp): Locator =>
  page.getByRole('dialog', name === undefined ? {} : { name })

/** What the console says when something was done. */
export const notice = (page: Page, text: string | RegExp): Locator =>
  page.getByRole('log', { name: 'Notices' }).getByText(text)

export const isFocused = (locator: Locator): Promise<boolean> =>
  locator.evaluate((element) => element === element.ownerDocument.activeElement)

/** Waits for the focus, which a page moves only after it has painted what it shows. */
export const focused = (locator: Locator): Promise<void> =>
  eventually(`${String(locator)} has the focus`, () => isFocused(locator))

/** The chip of a filter, which says its value. Where there is little room, unset ones are folded. */
export const filterChip = (page: Page, label: string): Locator =>
  page.getByRole('search').getByRole('button', { name: new RegExp(`^${label}(:|$)`) })

/** Sets a filter: chooses the option of this name, or types the text where there are none. */
export async function setFilter(page: Page, label: string, value: string): Promise<void> {
  const chip = filterChip(page, label)
  const fold = page.getByRole('search').getByRole('button', { name: 'Add filter' })
  await chip.or(fold).first().waitFor()
  if (!(await chip.isVisible())) await fold.click()
  await chip.click()
  const editor = page.getByRole('dialog', { name: label })
  await editor.waitFor()
  if ((await editor.getByRole('option').count()) > 0) {
    // Of a filter that takes several, this value alone.
    for (const chosen of await editor.getByRole('option', { selected: true }).all()) await chosen.click()
    await editor.getByRole('option', { name: value, exact: true }).click()
    if (await editor.locator('[aria-multiselectable]').isVisible()) await page.keyboard.press('Escape')
  } else {
    await editor.getByRole('textbox').fill(value)
    await editor.getByRole('textbox').press('Enter')
  }
  await editor.waitFor({ state: 'hidden' })
}

export const viewport = (isNarrow: boolean) =>
  isNarrow ? { width: 390, height: 844 } : { width: 1280, height: 860 }

const contextOptions = ({ theme = 'light', isNarrow = false }: PageOptions) => ({
  colorScheme: theme,
  viewport: viewport(isNarrow),
  // Screenshots must look alike on every machine.
  locale: 'en-US',
  timezoneId: 'UTC',
  reducedMotion: 'reduce' as const,
})

async function signedIn(context: BrowserContext, stack: Stack): Promise<BrowserContext> {
  const { origin } = stack.gateway(0)
  const answer = await context.request.post(`${origin}/console/api/session`, {
    data: stack.operator,
    headers: { origin },
  })
  assert.equal(answer.status(), 200, await answer.text())
  return context
}

/** Errors that a page reported, such as violations of its Content-Security-Policy. They fail the test. */
const faults = new WeakMap<Page, string[]>()

function prepared(page: Page): Page {
  const seen: string[] = []
  faults.set(page, seen)
  page.setDefaultTimeout(PATIENCE_MS)
  page.on('pageerror', (error) => seen.push(String(error)))
  page.on('console', (message) => {
    // A refused request that a test provokes is not an error of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      seen.push(message.text())
  })
  return page
}

export const assertNoFaults = (page: Page): void => assert.deepEqual(faults.get(page), [])

interface Violation {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** What the page shows now, dialogs included, violates no axe rule, or none of `rules`. */
export async function assertAccessible(page: Page, rules?: readonly string[]): Promise<void> {
  // The Content-Security-Policy forbids a script element, but does not apply to what the debugger evaluates. A page
  // gets the rules once: they are a megabyte.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(`${axe.source}; 1`)
  const violations = (await page.evaluate(
    `axe.run(${JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })})
      .then((found) => found.violations)`,
  )) as Violation[]
  const told = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map((node) => `  ${node.html}\n  ${node.failureSummary ?? ''}`).join('\n')}`,
  )
  assert.ok(told.length === 0, `${page.url()}\n${told.join('\n')}`)
}

/** Nothing on the page is wider than the window, and only the part of a page scrolls, not the frame around it. */
export async function assertFits(page: Page): Promise<void> {
  const overflow = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  )
  assert.ok(Number(overflow) <= 0, `${page.url()} is ${String(overflow)} pixels too wide`)
  const blank = await page.evaluate(
    'document.documentElement.scrollHeight - document.documentElement.clientHeight',
  )
  // Other pages, such as that of the handsets on a telephone, scroll as a whole.
  if ((await page.locator('.shell > main#content').count()) > 0)
    assert.ok(Number(blank) <= 0, `${page.url()} scrolls ${String(blank)} pixels beyond its frame`)
}

/** Saved in test/artifacts, for people to look at, when SCREENSHOTS is set: drawing them takes time. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!process.env['SCREENSHOTS']) return
  mkdirSync(artifacts, { recursive: true })
  await page.screenshot({ path: join(artifacts, `${name}.png`) })
}
