// Shows what is allowed with a contact now: free replies, calls, or nothing after an opt-out.
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import { day, exact, now, phone } from '../../core/format.ts'
import { can } from '../../core/session.ts'
import { Badge } from '../../parts/badge.tsx'
import { timeLeft } from './rules.ts'
import { addressOf } from './words.ts'

/** In one line, under the name. */
export function Standing({ conversation }: { readonly conversation: ConversationRecord }) {
  const { contact, group, number } = conversation
  return (
    <span class="inline standing">
      {!group && contact.name !== null && <span>{addressOf(contact)}</span>}
      <span>with {phone(number)}</span>
      <OptOuts conversation={conversation} />
      {/* Whoever can reply sees the clock at the box. */}
      {!group && !contact.optedOut && !can('AGENT') && <Window conversation={conversation} />}
    </span>
  )
}

interface Props {
  readonly conversation: ConversationRecord
}

export function OptOuts({ conversation: { contact } }: Props) {
  if (contact.optedOut) return <Badge tone="bad">Opted out: nothing can be sent</Badge>
  if (!contact.marketingOptedOut) return null
  return (
    <span title="The customer has stopped marketing messages in the provider’s app: templates of category MARKETING are refused.">
      <Badge tone="warn">No marketing</Badge>
    </span>
  )
}

/** Free replies are allowed until 24 hours after the customer's last message or call; templates at any time. */
export function Window({ conversation: { windowExpiresAt } }: Props) {
  const left = timeLeft(windowExpiresAt, now.value)
  if (!left || windowExpiresAt === null)
    return (
      <span title="More than 24 hours since the customer last wrote or called: only templates can be sent.">
        <Badge>Window closed</Badge>
      </span>
    )
  return (
    <span title={`Free replies until ${exact(windowExpiresAt)}. Templates can be sent at any time.`}>
      <Badge tone={left.isShort ? 'warn' : 'good'}>Window open: {left.text}</Badge>
    </span>
  )
}

export function CallPermission({ conversation: { callPermission: permission } }: Props) {
  if (!permission?.granted || (permission.expiresAt && Date.parse(permission.expiresAt) <= now.value))
    return <Badge>{permission?.response === 'reject' ? 'Refused calls' : 'No call permission'}</Badge>
  const { expiresAt } = permission
  return (
    <span title={expiresAt === null ? undefined : `Until ${exact(expiresAt)}`}>
      <Badge tone="good">
        {expiresAt ? `May be called until ${day(expiresAt)}` : 'May always be called'}
      </Badge>
    </span>
  )
}
