// Shows what is allowed with a contact now: free replies, calls, or nothing after an opt-out.
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import { clock, day, exact, now } from '../../core/format.ts'
import { Badge } from '../../parts/badge.tsx'

export function Standing({ conversation }: { readonly conversation: ConversationRecord }) {
  const { contact, group, number, windowExpiresAt, callPermission } = conversation
  if (group) return <span>at {number}</span>
  return (
    <span class="inline">
      {contact.name !== null && <span>{contact.number}</span>}
      <span>at {number}</span>
      {contact.optedOut && <Badge tone="bad">Opted out: nothing can be sent</Badge>}
      <Window expiresAt={windowExpiresAt} />
      <CallPermission permission={callPermission} />
    </span>
  )
}

/** Free replies are allowed until 24 hours after the customer's last message or call; templates at any time. */
function Window({ expiresAt }: { readonly expiresAt: string | null }) {
  if (expiresAt === null || Date.parse(expiresAt) <= now.value)
    return (
      <span title="More than 24 hours since the customer last wrote or called: only templates can be sent.">
        <Badge>24 h window closed</Badge>
      </span>
    )
  return (
    <span title={`Free replies until ${exact(expiresAt)}. Templates can be sent at any time.`}>
      <Badge tone="good">24 h window until {clock(expiresAt).slice(0, 5)}</Badge>
    </span>
  )
}

function CallPermission({ permission }: { readonly permission: ConversationRecord['callPermission'] }) {
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
