// The address holds the state: workspace, page, one record, filters. Links are plain anchors. A click on a
// link within the console changes the address without loading the page again.
import { computed, signal } from '@preact/signals'

export const ROOT = '/console'

interface Place {
  readonly path: string
  readonly query: URLSearchParams
}

const here = (): Place => ({ path: location.pathname, query: new URLSearchParams(location.search) })

export const place = signal<Place>(here())

/** Whether a navigation followed the first load: then the focus goes to the new page's heading. */
export const hasMoved = signal(false)

export interface Route {
  readonly workspaceId: string | undefined
  readonly page: string | undefined
  readonly id: string | undefined
}

/** `/console/<workspace>/<page>/<id>` */
export const route = computed<Route>(() => {
  const [workspaceId, page, id] = place.value.path
    .slice(ROOT.length + 1)
    .split('/')
    .map((part) => decode(part) || undefined)
  return { workspaceId, page, id }
})

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ''
  }
}

export function navigate(to: string, { replace = false } = {}): void {
  const before = location.pathname
  if (replace) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  place.value = here()
  if (location.pathname === before) return
  hasMoved.value = true
  // A drawer over a list keeps the scroll position of the list.
  if (route.value.id === undefined && !replace) document.getElementById('content')?.scrollTo(0, 0)
}

/** Changes filters without a new history entry. An empty value removes its filter. */
export function setQuery(changes: Readonly<Record<string, string | undefined>>): void {
  const query = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value)
    else query.delete(name)
  }
  navigate(withQuery(location.pathname, query), { replace: true })
}

export const withQuery = (path: string, query: URLSearchParams): string =>
  query.size === 0 ? path : `${path}?${query.toString()}`

/** The address of a page in the current workspace. */
export const hrefOf = (page: string, id?: string): string => {
  const parts = [route.value.workspaceId ?? '', page, ...(id === undefined ? [] : [id])]
  return `${ROOT}/${parts.map(encodeURIComponent).join('/')}`
}

/** The address of `/page` or `/page/id?filter=…` in the current workspace. */
export const workspaceHref = (path: string): string =>
  `${ROOT}/${encodeURIComponent(route.value.workspaceId ?? '')}${path}`

export function startRouter(): void {
  addEventListener('popstate', () => {
    hasMoved.value = true
    place.value = here()
  })
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || event.defaultPrevented || event.button !== 0 || isForBrowser(event, link)) return
    event.preventDefault()
    navigate(link.pathname + link.search)
  })
}

const isForBrowser = (event: MouseEvent, link: HTMLAnchorElement): boolean =>
  event.metaKey ||
  event.ctrlKey ||
  event.shiftKey ||
  event.altKey ||
  link.target !== '' ||
  link.hasAttribute('download') ||
  link.origin !== location.origin ||
  link.hash !== '' ||
  !(link.pathname === ROOT || link.pathname.startsWith(`${ROOT}/`))
