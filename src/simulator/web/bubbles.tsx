import { useState } from 'preact/hooks'
import type { CallRow, HandsetView, InboxItem, OutboxItem } from '../views.ts'
import type { Act } from './control.ts'
import { IconButton, Ticks } from './icon.tsx'
import { duration, shortTime } from './words.ts'

const emojis = ['👍', '❤️', '😂', '😮', '🙏']

interface ReceivedProps {
  readonly item: InboxItem
  readonly handset: HandsetView
  readonly act: Act
}

/** A message from the business. Before its delivery it looks different, because only the page knows it. */
export function Received({ item, handset, act }: ReceivedProps) {
  const [isReacting, setReacting] = useState(false)
  const hasArrived = item.status === 'delivered' || item.status === 'read'
  const reaction = handset.outbox.findLast((one) => one.type === 'reaction' && one.replyTo === item.id)
  const react = (emoji: string) => {
    setReacting(false)
    const body = { to: item.phoneNumberId, type: 'reaction', replyTo: item.id, text: emoji }
    void act('POST', `handsets/${handset.waId}/messages`, body)
  }
  return (
    <article class={`bubble received ${hasArrived ? '' : 'away'} ${item.status}`}>
      <p class="bubble-text">{item.text || `(${item.type})`}</p>
      {item.asksPermission && hasArrived && <PermissionQuestion {...{ item, handset, act }} />}
      <footer>
        <span class="meta">
          {shortTime(item.at)} · {statusOf(item)}
        </span>
        <Ticks count={tickCount(item.status)} isRead={item.status === 'read'} />
        {hasArrived && handset.online && (
          <IconButton
            label="React"
            icon="smile"
            look="quiet tiny"
            aria-expanded={isReacting}
            onClick={() => setReacting(!isReacting)}
          />
        )}
      </footer>
      {isReacting && (
        <fieldset class="emojis" aria-label="Reactions">
          {emojis.map((emoji) => (
            <button key={emoji} type="button" aria-label={`React with ${emoji}`} onClick={() => react(emoji)}>
              {emoji}
            </button>
          ))}
        </fieldset>
      )}
      {reaction && reaction.text !== '' && <span class="reaction">{reaction.text}</span>}
    </article>
  )
}

const statuses: Readonly<Record<InboxItem['status'], string>> = {
  accepted: 'accepted, not sent yet',
  sent: 'sent, not delivered yet',
  delivered: 'delivered',
  read: 'read',
  failed: 'failed',
}

const statusOf = ({ status, errorCode }: InboxItem): string =>
  errorCode === undefined ? statuses[status] : `failed with ${errorCode}`

function tickCount(status: InboxItem['status']): 0 | 1 | 2 {
  if (status === 'delivered' || status === 'read') return 2
  return status === 'sent' ? 1 : 0
}

function PermissionQuestion({ item, handset, act }: ReceivedProps) {
  const answer = handset.outbox.find(({ replyTo, type }) => replyTo === item.id && type === 'interactive')
  if (answer) return null
  const reply = (response: 'accept' | 'reject', isPermanent = false) =>
    void act('POST', `handsets/${handset.waId}/permission`, {
      ...{ to: item.phoneNumberId, response, isPermanent, replyTo: item.id },
    })
  return (
    <fieldset class="question" aria-label="May the business call?" disabled={!handset.online}>
      <button type="button" class="button small" onClick={() => reply('accept')}>
        Allow for 7 days
      </button>
      <button type="button" class="button small" onClick={() => reply('accept', true)}>
        Always allow
      </button>
      <button type="button" class="button small" onClick={() => reply('reject')}>
        Refuse
      </button>
    </fieldset>
  )
}

const decisions: Readonly<Record<string, string>> = {
  'call permission: accept': 'Calls are allowed.',
  'call permission: reject': 'Calls are refused.',
}

/** A message from the handset. It has two coloured ticks once the business has read it. */
export const Written = ({ item }: { readonly item: OutboxItem }) => (
  <article class="bubble written">
    {item.mediaId !== null &&
      (item.type === 'image' ? (
        <img src={`/sim/media/${item.mediaId}`} alt={item.text || 'What was sent'} />
      ) : (
        <a href={`/sim/media/${item.mediaId}`}>{item.type}</a>
      ))}
    {(item.text !== '' || item.mediaId === null) && (
      <p class="bubble-text">{decisions[item.text] ?? (item.text || `(${item.type})`)}</p>
    )}
    <footer>
      <span class="meta">
        {shortTime(item.at)} · {item.readByBusiness ? 'read' : 'sent'}
      </span>
      <Ticks count={item.readByBusiness ? 2 : 1} isRead={item.readByBusiness} />
    </footer>
  </article>
)

const ends: Readonly<Record<string, string>> = {
  'hung-up-by-handset': 'you hung up',
  'declined-by-handset': 'you declined',
  'terminated-by-business': 'the business hung up',
  'rejected-by-business': 'the business declined',
  'rang-out': 'nobody answered',
  'setup-failed': 'it could not be connected',
}

export function CallEntry({ call }: { readonly call: CallRow }) {
  const direction = call.direction === 'USER_INITIATED' ? 'You called' : 'The business called'
  const took =
    call.acceptedAt !== null && call.endedAt !== null
      ? ` ${duration(Date.parse(call.endedAt) - Date.parse(call.acceptedAt))},`
      : ''
  return (
    <p class="call-entry">
      {direction}:{took} {ends[call.endReason ?? ''] ?? 'ended'} · {shortTime(call.at)}
    </p>
  )
}
