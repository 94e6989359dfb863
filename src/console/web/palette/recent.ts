// What was opened last from the palette, in this tab: names of customers are not kept on the device.
import { me, workspace } from '../core/session.ts'
import type { Entry } from './entries.ts'

const RECENT = 'Recent'
const MOST = 5

const keyOf = () => `switchboard.recent.${me.value?.operator.id}.${workspace.value?.id}`

export function recentEntries(): readonly Entry[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(keyOf()) ?? '[]')
    return Array.isArray(stored)
      ? stored.map((entry: Entry) => ({ ...entry, group: RECENT, id: `recent-${entry.id}` }))
      : []
  } catch {
    return []
  }
}

/** Only what has an address: an action is no place. */
export function remember({ id, title, icon, detail, href }: Entry): void {
  if (href === undefined) return
  const own = id.replace(/^recent-/, '')
  const others = recentEntries().filter((one) => one.id !== `recent-${own}`)
  const kept = [
    { id: own, title, icon, detail, href },
    ...others.map((one) => ({ ...one, id: one.id.slice('recent-'.length) })),
  ]
  try {
    sessionStorage.setItem(keyOf(), JSON.stringify(kept.slice(0, MOST)))
  } catch {
    // The browser may forbid storage.
  }
}
