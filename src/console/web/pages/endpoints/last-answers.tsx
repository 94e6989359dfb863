import type { EndpointHealth } from '../../../../contract/records/overview.ts'
import { exact } from '../../core/format.ts'
import { hrefOf } from '../../core/router.ts'
import { Badge } from '../../parts/badge.tsx'
import { Ago } from '../../parts/time.tsx'
import { isGood, lastWords, outcomeWords } from '../deliveries/words.ts'

/** What the receiver answered last, newest first; each leads to its delivery. */
export function LastAnswers({ last }: Pick<EndpointHealth, 'last'>) {
  const [newest] = last
  if (!newest) return null
  return (
    <p class="last-answers">
      <span>
        Last answer: <strong class={isGood(newest) ? undefined : 'bad-words'}>{lastWords(newest)}</strong>,{' '}
        <Ago at={newest.at} />
      </span>
      <span class="tags">
        {last.map((attempt) => (
          <a
            key={attempt.at + attempt.deliveryId}
            href={hrefOf('deliveries', attempt.deliveryId)}
            title={`${lastWords(attempt)}, ${exact(attempt.at)}`}
          >
            <Badge tone={isGood(attempt) ? 'good' : 'bad'}>{outcomeWords(attempt)}</Badge>
          </a>
        ))}
      </span>
    </p>
  )
}
