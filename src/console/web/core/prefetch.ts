// The script of a page is fetched when somebody is about to open it: a moment on its link, or the focus on it.
import { type Connection, isSparing } from './connection.ts'
import { pageOf } from './router.ts'

const ABOUT_MS = 60

export function startPrefetch(load: (page: string) => Promise<unknown> | undefined): void {
  const fetched = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const about = ({ target }: Event) => {
    clearTimeout(timer)
    const { connection } = navigator as { connection?: Connection }
    const link = target instanceof Element ? target.closest('a') : null
    const page = link && link.origin === location.origin ? pageOf(link.pathname) : undefined
    if (page === undefined || fetched.has(page) || (connection && isSparing(connection))) return
    timer = setTimeout(() => {
      fetched.add(page)
      // If it fails now, opening the page tries again and says so.
      load(page)?.catch(() => fetched.delete(page))
    }, ABOUT_MS)
  }
  for (const sign of ['pointerover', 'focusin', 'touchstart'])
    document.addEventListener(sign, about, { passive: true })
}
