// What is below a thread: the form of a reply while the 24 hours are open, or why there is none.
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import { now } from '../../core/format.ts'
import { can } from '../../core/session.ts'
import { Button } from '../../parts/button.tsx'
import { later } from '../../parts/later.tsx'
import { draftOf } from './drafts.ts'
import type { ReplyProps } from './reply-form.tsx'
import { timeLeft } from './rules.ts'

const ReplyForm = later(() => import('./reply-form.tsx').then((module) => module.ReplyForm), { isPage: true })

/** Whether the customer can be answered freely now. */
export const isAnswerable = ({ contact, group, windowExpiresAt }: ConversationRecord): boolean =>
  can('AGENT') && !group && !contact.optedOut && timeLeft(windowExpiresAt, now.value) !== undefined

export function ReplyBox(props: ReplyProps) {
  const { contact, group } = props.conversation
  if (group) return null
  if (contact.optedOut)
    return (
      <div class="reply closed">
        <p>The customer has opted out: nothing can be sent until they write START.</p>
      </div>
    )
  return isAnswerable(props.conversation) ? <ReplyForm {...props} /> : <Closed {...props} />
}

const Closed = ({ conversation: { id, windowExpiresAt }, onTemplate }: ReplyProps) => (
  <div class="reply closed">
    <div>
      <p>
        {windowExpiresAt === null
          ? 'The customer has not written or called yet: only a template can be sent.'
          : 'The 24 hours after the last message or call are over: only a template can be sent.'}
      </p>
      {draftOf(id).text !== '' && <p class="dim">Your draft is kept for when the customer writes again.</p>}
    </div>
    <Button look="primary" icon="templates" onClick={onTemplate}>
      Choose a template
    </Button>
  </div>
)
