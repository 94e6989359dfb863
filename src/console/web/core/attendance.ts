// Whether somebody is at the page. What it asks by itself is no use of the session, so that one whom nobody watches
// ends; what somebody types for a long time is one, although it asks nothing.

const ATTENDED_MS = 60_000
const signs = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchmove'] as const

let lastSign = Date.now()

export const isAttended = (): boolean => Date.now() - lastSign < ATTENDED_MS

export function startAttendance(tell: () => Promise<unknown>): void {
  const seen = () => {
    lastSign = Date.now()
  }
  for (const sign of signs) addEventListener(sign, seen, { capture: true, passive: true })
  setInterval(() => {
    if (isAttended()) tell().catch(() => undefined)
  }, ATTENDED_MS)
  // Whoever comes back to the page sees at once whether it is still theirs.
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') tell().catch(() => undefined)
  })
}
