// A call in a thread: what became of it, how long it was, and the way to all of it.
import type { CallRecord } from '../../../../contract/records/call.ts'
import { exact, time } from '../../core/format.ts'
import { hrefOf } from '../../core/router.ts'
import { Icon } from '../../parts/icon.tsx'
import { callTitle, isUnanswered } from './words.ts'

export const CallEntry = ({ call, isWanted }: { readonly call: CallRecord; readonly isWanted: boolean }) => (
  <li class="call-entry" aria-current={isWanted ? 'true' : undefined}>
    <a class={isUnanswered(call) ? 'unanswered' : undefined} href={hrefOf('calls', call.id)}>
      <Icon name={isUnanswered(call) ? 'missed' : 'calls'} />
      <span>{callTitle(call)}</span>
      <time dateTime={call.createdAt} title={exact(call.createdAt)}>
        {time(call.createdAt)}
      </time>
    </a>
  </li>
)
