// Which handsets are open. The address says so, so that a reload or a link shows the same.
import { signal } from '@preact/signals'

const MOST_OPEN = 8
/** The one that the first steps write to, and one that does nothing by itself. */
const atFirst = ['15557000001', '15557000101']

export const opened = signal<readonly string[]>([])

export function startOpened(): void {
  const read = () => {
    const given = new URLSearchParams(location.search).get('open')
    const listed = given?.split(',').filter((waId) => /^\d{5,20}$/.test(waId))
    opened.value = [...new Set(listed ?? atFirst)].slice(0, MOST_OPEN)
  }
  read()
  addEventListener('popstate', read)
}

export function open(waId: string): void {
  if (!opened.value.includes(waId)) change([waId, ...opened.value].slice(0, MOST_OPEN))
  // Drawn by now or in the next frame; either way it comes into view.
  requestAnimationFrame(() => {
    const phone = document.getElementById(`handset-${waId}`)
    phone?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
    phone?.querySelector('h2')?.focus({ preventScroll: true })
  })
}

export const close = (waId: string): void => change(opened.value.filter((one) => one !== waId))

function change(next: readonly string[]): void {
  opened.value = next
  history.replaceState(null, '', `?open=${next.join(',')}`)
}
