// The 24 hours in which a customer may be answered freely. A message of the customer opens them, and so does a call:
// one of the customer, answered or not, and one that the customer accepted. Pure.
const windowMs = 24 * 3_600_000

/** What of a customer last opened the window, by the provider's clock. */
export interface WindowOpeners {
  readonly lastInboundAt: Date | null
  readonly lastCallAt: Date | null
}

/** The first moment at which only templates can be sent; null where the window was never open. */
export function windowExpiry({ lastInboundAt, lastCallAt }: WindowOpeners): Date | null {
  const openedAt = Math.max(lastInboundAt?.getTime() ?? 0, lastCallAt?.getTime() ?? 0)
  return openedAt === 0 ? null : new Date(openedAt + windowMs)
}

/**
 * The same for times in ISO 8601 with milliseconds, in UTC. Two dates for each record would take a tenth of the time of
 * a page.
 */
export function windowExpiryIso(lastInboundAt: string | null, lastCallAt: string | null): string | null {
  const openedAt = (lastInboundAt ?? '') > (lastCallAt ?? '') ? lastInboundAt : lastCallAt
  return openedAt === null ? null : nextDay(openedAt.slice(0, 10)) + openedAt.slice(10)
}

let known = { day: '', next: '' }

/** `2026-12-31` → `2027-01-01`. The records of a page are mostly of one day. */
function nextDay(day: string): string {
  if (day !== known.day)
    known = { day, next: new Date(Date.parse(day) + windowMs).toISOString().slice(0, 10) }
  return known.next
}

export const isOpenAt = (expiresAt: Date | null, nowMs: number): boolean =>
  expiresAt !== null && nowMs < expiresAt.getTime()
