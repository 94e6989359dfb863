// What each action of the audit is called: on its page, in its filters and in its export. The only place with these
// words; a test finds an action without any.
import { memberEvents } from '../accounts/member-events.ts'
import type { AuditWord } from '../contract/records/console.ts'

/** `did` goes on with the name of the subject. `own`: where the operator did it to their own account. */
interface Words {
  readonly did: string
  readonly own?: string
}

const words: Readonly<Record<string, Words>> = {
  'call.declined': { did: 'Declined the call with' },
  'call.hung_up': { did: 'Ended the call with' },
  'campaign.cancelled': { did: 'Cancelled campaign' },
  'campaign.created': { did: 'Created campaign' },
  'campaign.deleted': { did: 'Deleted campaign' },
  'campaign.edited': { did: 'Changed campaign' },
  'campaign.exported': { did: 'Downloaded the recipients of campaign' },
  'campaign.paused': { did: 'Paused campaign' },
  'campaign.recipients_added': { did: 'Added recipients to campaign' },
  'campaign.recipients_removed': { did: 'Removed recipients from campaign' },
  'campaign.started': { did: 'Started campaign' },
  'campaign.unknown_assumed_sent': { did: 'Took recipients with an unknown outcome as sent, in campaign' },
  'campaign.unknown_resent': { did: 'Sent again to recipients with an unknown outcome, in campaign' },
  'contact.erasure_requested': { did: 'Asked to erase everything about' },
  'contact.export_downloaded': { did: 'Downloaded everything about' },
  'contact.export_requested': { did: 'Asked for everything about' },
  'contact.marketing_changed': { did: 'Changed the marketing consent of' },
  'conversation.marked_read': { did: 'Marked as read the conversation with' },
  'delivery.replayed': { did: 'Replayed a delivery to endpoint' },
  'delivery.retried': { did: 'Retried at once a delivery to endpoint' },
  'delivery.selection_replayed': { did: 'Replayed selected deliveries of workspace' },
  'endpoint.created': { did: 'Created endpoint' },
  'endpoint.deleted': { did: 'Deleted endpoint' },
  'endpoint.deliveries_discarded': { did: 'Discarded the held deliveries of endpoint' },
  'endpoint.deliveries_expired': { did: 'Gave up, at the end of their time, deliveries of endpoint' },
  'endpoint.deliveries_replayed': { did: 'Replayed deliveries of endpoint' },
  'endpoint.disabled': { did: 'Turned off endpoint' },
  'endpoint.edited': { did: 'Changed endpoint' },
  'endpoint.enabled': { did: 'Turned on endpoint' },
  'endpoint.switched_off': { did: 'Failures turned off endpoint' },
  'endpoint.secret_rotated': { did: 'Rotated the secret of endpoint' },
  'invitation.accepted': { did: 'Accepted the invitation of' },
  'invitation.created': { did: 'Invited' },
  'invitation.refused': { did: 'Could not accept the invitation of' },
  'invitation.revoked': { did: 'Revoked the invitation of' },
  'key.created': { did: 'Created API key' },
  'key.edited': { did: 'Changed API key' },
  'key.revoked': { did: 'Revoked API key' },
  'media.downloaded': { did: 'Downloaded a file from the conversation with' },
  'media.uploaded': { did: 'Uploaded a file in workspace' },
  'member.granted': { did: 'Gave a role to' },
  'member.removed': { did: 'Removed from the workspace' },
  'message.marked_read': { did: 'Marked as read a message of' },
  'message.sent': { did: 'Sent a message to' },
  'number.routed': { did: 'Changed the routing of number' },
  'operator.created': { did: 'Created the account of', own: 'Created the account' },
  'operator.disabled': { did: 'Disabled the account of' },
  'operator.enabled': { did: 'Enabled the account of' },
  'operator.password_changed': { did: 'Changed the password of', own: 'Changed the password' },
  'operator.recovery_code_used': { did: 'Used a recovery code of', own: 'Used a recovery code' },
  'operator.recovery_codes_replaced': {
    did: 'Replaced the recovery codes of',
    own: 'Replaced the recovery codes',
  },
  'operator.totp_added': { did: 'Turned on the second factor of', own: 'Turned on the second factor' },
  'operator.totp_removed': { did: 'Turned off the second factor of', own: 'Turned off the second factor' },
  'operator.verified': { did: 'Verified the address of' },
  'session.confirmation_refused': {
    did: 'Entered a wrong password to confirm, as',
    own: 'Entered a wrong password to confirm',
  },
  'session.confirmed': { did: 'Confirmed the password', own: 'Confirmed the password' },
  'session.ended': { did: 'Signed out', own: 'Signed out' },
  'session.opened': { did: 'Signed in', own: 'Signed in' },
  'session.refused': { did: 'Sign-in refused for' },
  'template.submitted': { did: 'Submitted template' },
  'workspace.edited': { did: 'Changed the settings of workspace' },
  'workspace.exported': { did: 'Exported a list of workspace' },
  'workspace.resumed': { did: 'Resumed workspace' },
  'workspace.suspended': { did: 'Suspended workspace' },
}

/** Where the words are those of an older or newer release, the action itself is shown: `key.moved` as `Key moved`. */
const plain = (action: string): string => {
  const text = action.replace(/[._]/g, ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

export interface Done {
  readonly action: string
  readonly operator: { readonly id: string } | null
  readonly subjectKind: string
  readonly subjectId: string | null
}

/** Whether the action was done to whoever did it: then its subject says nothing more. */
export const isOwn = ({ operator, subjectKind, subjectId }: Done): boolean =>
  subjectKind === 'session' || (subjectKind === 'operator' && operator !== null && operator.id === subjectId)

/** `isNamed`: the name of the subject follows. Without one, nothing leads to it. */
export function wordsOf(done: Done, isNamed = true): string {
  const known = Object.hasOwn(words, done.action) ? words[done.action] : undefined
  if (!known) return plain(done.action)
  if (isOwn(done)) return known.own ?? known.did
  return isNamed ? known.did : label(known.did)
}

const groups: Readonly<Record<string, string>> = {
  call: 'Calls',
  campaign: 'Campaigns',
  contact: 'Contacts',
  conversation: 'Conversations',
  delivery: 'Deliveries',
  endpoint: 'Endpoints',
  invitation: 'Invitations',
  key: 'API keys',
  media: 'Files',
  member: 'Members',
  message: 'Messages',
  number: 'Numbers',
  operator: 'Accounts',
  session: 'Sign-ins',
  template: 'Templates',
  workspace: 'Workspace',
}

const ofAccounts = (action: string): boolean => /^(operator|session)\./.test(action)

/** Short enough for a filter: the words without the preposition that leads to a name. */
const label = (did: string): string =>
  did.replace(/,? (of|to|from|with|for|in|as|about)( \w+)?$|,? \w+ campaign$/, '')

/** What was done, without its subject: for lists that have the account in a column, or are of one account. */
export function shortWordsOf(action: string): string {
  const known = Object.hasOwn(words, action) ? words[action] : undefined
  return known ? (known.own ?? label(known.did)) : plain(action)
}

/** What a workspace can filter by: all actions of a kind, or one. */
export const auditWords: readonly AuditWord[] = Object.entries(groups).flatMap(([kind, title]) => [
  { action: kind, group: title, title: 'All' },
  ...Object.entries(words)
    .filter(([action]) => action.startsWith(`${kind}.`))
    .filter(([action]) => !ofAccounts(action) || memberEvents.includes(action))
    .map(([action, { did, own }]) => ({ action, group: title, title: own ?? label(did) })),
])
