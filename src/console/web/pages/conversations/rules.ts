// Rules of the inbox that need no page: the order of a list that somebody points at, the clock of the window, days, and
// what is new since the last look. Pure.

interface Row {
  readonly id: string
}

/**
 * The rows in the order in which they are shown now, with their latest content: nothing moves under the pointer. Rows
 * that are new wait: `waiting` counts them. Without `shown`, the order of the server.
 */
export function heldRows<Of extends Row>(
  shown: readonly Of[] | undefined,
  latest: readonly Of[],
): { readonly rows: readonly Of[]; readonly waiting: number } {
  if (!shown) return { rows: latest, waiting: 0 }
  const byId = new Map(latest.map((row) => [row.id, row]))
  const rows = shown.map((row) => byId.get(row.id) ?? row)
  const known = new Set(shown.map(({ id }) => id))
  // Older ones that were loaded on demand come behind the last that is shown.
  const last = latest.findIndex(({ id }) => id === shown.at(-1)?.id)
  const behind = last < 0 ? [] : latest.slice(last + 1).filter(({ id }) => !known.has(id))
  const waiting = latest.filter(({ id }) => !known.has(id)).length - behind.length
  return { rows: [...rows, ...behind], waiting }
}

const MINUTE = 60_000

export interface TimeLeft {
  /** 12 h 03 min */
  readonly text: string
  readonly isShort: boolean
}

/** How long free replies are still possible; undefined when it is over. */
export function timeLeft(expiresAt: string | null, nowMs: number): TimeLeft | undefined {
  const left = expiresAt === null ? 0 : Date.parse(expiresAt) - nowMs
  if (left <= 0) return undefined
  const minutes = Math.max(1, Math.floor(left / MINUTE))
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60]
  const text = hours === 0 ? `${minutes} min` : `${hours} h ${String(rest).padStart(2, '0')} min`
  return { text, isShort: minutes < 120 }
}

/** The day of a time, and of the one before it: two texts that differ begin a new day. */
export function dayTitle(at: string, nowMs: number, day: (at: number) => string): string {
  const title = day(Date.parse(at))
  if (title === day(nowMs)) return 'Today'
  // Half a day before midnight is yesterday, also where a day has 23 or 25 hours.
  const midnight = new Date(nowMs).setHours(0, 0, 0, 0)
  return title === day(midnight - 12 * 60 * MINUTE) ? 'Yesterday' : title
}

interface Entry extends Row {
  /** Came from the customer. */
  readonly isInbound: boolean
  readonly isUnread: boolean
}

/** Ids begin with the time, behind their kind. */
const timeOf = (id: string): string => id.slice(id.indexOf('_') + 1)

/**
 * Above which entry the line "new since you looked" stands. `entries` has the oldest first. Who has never looked has
 * the unread ones before them. Nothing new: undefined; and no line above everything, because all of it is new.
 */
export function firstNew(entries: readonly Entry[], seenId: string | undefined): string | undefined {
  const index = entries.findIndex(({ id, isInbound, isUnread }) =>
    seenId === undefined ? isUnread : isInbound && timeOf(id) > timeOf(seenId),
  )
  return index > 0 ? entries[index]?.id : undefined
}
