import { timeToSecond } from '../core/format.ts'
import { stale } from '../core/freshness.ts'
import { Icon } from './icon.tsx'

const whats = { database: 'The database is unavailable.', gateway: 'The gateway does not answer.' }

/** Above the page while what it shows may be out of date. The status is always there, so that it is announced. */
export function StaleNotice() {
  const now = stale.value
  return (
    <div role="status" aria-label="Freshness" class="stale-place">
      {now && (
        <p class="stale">
          <Icon name="warning" />
          <span>
            <strong>{whats[now.what]} Retrying…</strong>
            {now.asOf !== null && ` What you see is as of ${timeToSecond(now.asOf)}.`}
          </span>
        </p>
      )}
    </div>
  )
}
