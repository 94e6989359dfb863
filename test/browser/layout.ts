// Whether what a page shows has room: nothing is cut off, squeezed, wider than its place, or over something else.
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/** Runs in the page. Returns a line for each fault. */
const findFaults = `(() => {
  const faults = new Set()
  const told = (element) => (element.ariaLabel || element.id || element.textContent || element.className).trim().slice(0, 60)
  const isShown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true })
  const layers = [...document.querySelectorAll('dialog:modal')]
  const top = layers.at(-1) ?? document.body
  const isSmall = ({ width, height }) => width <= 2 || height <= 2
  const clips = (style) => [style.overflowX, style.overflowY].some((value) => value !== 'visible')

  for (const element of top.querySelectorAll('*')) {
    if (!(element instanceof HTMLElement) || !isShown(element)) continue
    const style = getComputedStyle(element)
    if (!clips(style) || isSmall(element.getBoundingClientRect()) || style.clipPath !== 'none') continue
    const beyondX = element.scrollWidth - element.clientWidth
    const beyondY = element.scrollHeight - element.clientHeight
    const isEllipsis = style.textOverflow === 'ellipsis' || element.matches('input, select, textarea')
    if (style.overflowX === 'hidden' && beyondX > 2 && !isEllipsis) faults.add('cut off at the side: ' + told(element))
    if (style.overflowY === 'hidden' && beyondY > 2 && !isEllipsis) faults.add('cut off below: ' + told(element))
    if (element.matches('.table-scroll') && (beyondX > 1 || beyondY > 1)) faults.add('a table without room: ' + told(element))
    if (style.overflowY === 'auto' && beyondY > 2 && element.clientHeight < 40) faults.add('squeezed: ' + told(element))
  }

  const controls = []
  for (const element of top.querySelectorAll('a[href], button, input, select, textarea, summary')) {
    if (!isShown(element) || element.closest('.skip, .visually-hidden, svg')) continue
    const box = element.getBoundingClientRect()
    let { left, right, top: above, bottom } = box
    let isAfloat = false
    for (let around = element; around && around !== document.documentElement; around = around.parentElement) {
      const style = getComputedStyle(around)
      if (['sticky', 'fixed'].includes(style.position)) isAfloat = true
      if (around === element || !clips(style)) continue
      const frame = around.getBoundingClientRect()
      left = Math.max(left, frame.left)
      right = Math.min(right, frame.right)
      above = Math.max(above, frame.top)
      bottom = Math.min(bottom, frame.bottom)
    }
    // What is scrolled away is not cut off: it can be reached.
    if (isSmall({ width: right - left, height: bottom - above })) continue
    if (left < -1 || right > innerWidth + 1) faults.add('beyond the window: ' + told(element))
    if (element.matches('.button') && element.scrollWidth > element.clientWidth + 2) faults.add('its words do not fit: ' + told(element))
    if (!isAfloat) controls.push({ element, left, right, above, bottom })
  }
  for (const [index, one] of controls.entries())
    for (const other of controls.slice(index + 1)) {
      if (one.element.contains(other.element) || other.element.contains(one.element)) continue
      const width = Math.min(one.right, other.right) - Math.max(one.left, other.left)
      const height = Math.min(one.bottom, other.bottom) - Math.max(one.above, other.above)
      if (width > 3 && height > 3) faults.add(told(one.element) + ' lies over ' + told(other.element))
    }
  return [...faults]
})()`

export async function assertRoom(page: Page): Promise<void> {
  const width = page.viewportSize()?.width
  assert.deepEqual(await page.evaluate(findFaults), [], `${page.url()} at ${width}`)
}
