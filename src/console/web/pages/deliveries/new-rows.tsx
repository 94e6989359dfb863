import { count, plural } from '../../core/format.ts'
import { Button } from '../../parts/button.tsx'
import type { LiveLog } from './use-live-log.ts'

/** How many deliveries wait above the log. Only that some wait is announced: the count changes every second. */
export function NewRows({ waiting: { rows, hasGap }, take }: LiveLog) {
  const some = rows.length > 0
  return (
    <div class="news">
      <span class="visually-hidden" role="status">
        {some ? 'New deliveries wait above the list.' : ''}
      </span>
      {some && (
        <Button onClick={take}>
          {hasGap
            ? `${count(rows.length)}+ new deliveries`
            : plural(rows.length, 'new delivery', 'new deliveries')}
        </Button>
      )}
    </div>
  )
}
