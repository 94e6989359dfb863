// News of a topic until a page has read what they tell of. Pure.

/** In turns. */
const LONGEST_WAIT = 16

/** Asked once a turn. After a failure it lets turns pass, ever more, so that who is refused does not ask more for it. */
export function createPendingNews() {
  let taken: unknown
  let wait = 0
  let left = 0
  return {
    /** Whether these news are to be read now. */
    isDue(news: unknown): boolean {
      if (news === taken) return false
      left -= 1
      return left < 0
    },
    /** They have been read. */
    took(news: unknown): void {
      taken = news
      wait = 0
      left = 0
    },
    /** They could not be read. */
    failed(): void {
      wait = Math.min(Math.max(1, wait * 2), LONGEST_WAIT)
      left = wait
    },
  }
}
