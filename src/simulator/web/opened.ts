// The open handsets. The URL contains them, so that a reload or a link shows the same ones.
import { signal } from '@preact/signals'
import { isUserId } from '../../web/browser/phone.ts'

const MOST_OPEN = 8
/** The handset of the example request that npm start prints, and one without automatic reactions. */
const atFirst = ['15557000001', '15557000101']

export const opened = signal<readonly string[]>([])

export function startOpened(): void {
  const read = () => {
    const given = new URLSearchParams(location.search).get('open')
    const listed = given?.split(',').filter((one) => isUserId(one) || /^\d{5,20}$/.test(one))
    opened.value = [...new Set(listed ?? atFirst)].slice(0, MOST_OPEN)
  }
  read()
  addEventListener('popstate', read)
}

export function open(waId: string): void {
  if (!opened.value.includes(waId)) change([waId, ...opened.value].slice(0, MOST_OPEN))
  // The phone is rendered in the next frame at the latest. Then scroll it into view.
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
