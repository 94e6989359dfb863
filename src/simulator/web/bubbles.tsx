import { useState } from 'preact/hooks'
import type { CallRow, HandsetView, InboxItem, OutboxItem } from '../views.ts'
import type { Act } from './control.ts'
import { IconButton, Ticks } from './icon.tsx'
import { callLength, time } from './words.ts'

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
    // The same again takes it away.
    const text = reaction?.text === emoji ? '' : emoji
    const body = { to: item.phoneNumberId, type: 'reaction', replyTo: item.id, text }
    void act('POST', `handsets/${handset.waId}/messages`, body)
  }
  return (
    <article class={`bubble received ${hasArrived ? '' : 'away'} ${item.status}`}>
      <p class="bubble-text">{item.text || `(${item.type})`}</p>
      {hasArrived && <Choices {...{ item, handset, act }} />}
      {item.asksPermission && hasArrived && <PermissionQuestion {...{ item, handset, act }} />}
      <footer>
        <span class="meta">
          {time(item.at)} · {statusOf(item)}
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

/** What can be tapped: each answers as a phone does. */
function Choices({ item, handset, act }: ReceivedProps) {
  if (item.choices.length === 0) return null
  return (
    <fieldset class="question" aria-label="Answers" disabled={!handset.online}>
      {item.choices.map(({ id, title }) => (
        <button
          key={id}
          type="button"
          class="button small"
          onClick={() => void act('POST', `handsets/${handset.waId}/choose`, { id: item.id, choice: id })}
        >
          {title}
        </button>
      ))}
    </fieldset>
  )
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

interface WrittenProps {
  readonly item: OutboxItem
  readonly handset: HandsetView
  readonly act: Act
}

/** A message from the handset. It has two coloured ticks once the business has read it. */
export function Written({ item, handset, act }: WrittenProps) {
  const [isEditing, setEditing] = useState(false)
  const change = (type: 'edit' | 'revoke', text = '') => {
    setEditing(false)
    const body = { to: item.phoneNumberId, type, replyTo: item.id, text }
    void act('POST', `handsets/${handset.waId}/messages`, body)
  }
  const isThere = item.isRevoked !== true
  return (
    <article class="bubble written">
      {isThere && <WrittenContent item={item} />}
      {!isThere && <p class="bubble-text">(deleted)</p>}
      {isEditing && <EditForm text={item.text} onSave={(text) => change('edit', text)} />}
      <footer>
        <span class="meta">
          {time(item.at)} · {item.readByBusiness ? 'read' : 'sent'}
        </span>
        <Ticks count={item.readByBusiness ? 2 : 1} isRead={item.readByBusiness} />
        {isThere && handset.online && item.type === 'text' && (
          <IconButton
            label="Edit"
            icon="pen"
            look="quiet tiny"
            aria-expanded={isEditing}
            onClick={() => setEditing(!isEditing)}
          />
        )}
        {isThere && handset.online && (
          <IconButton label="Delete" icon="close" look="quiet tiny" onClick={() => change('revoke')} />
        )}
      </footer>
    </article>
  )
}

const WrittenContent = ({ item }: Pick<WrittenProps, 'item'>) => (
  <>
    {item.mediaId !== null &&
      (item.type === 'image' ? (
        <img src={`/sim/media/${item.mediaId}`} alt={item.text || 'What was sent'} />
      ) : (
        <a href={`/sim/media/${item.mediaId}`}>{item.type}</a>
      ))}
    {(item.text !== '' || item.mediaId === null) && (
      <p class="bubble-text">{decisions[item.text] ?? (item.text || `(${item.type})`)}</p>
    )}
  </>
)

function EditForm({ text, onSave }: { readonly text: string; onSave(text: string): void }) {
  const [next, setNext] = useState(text)
  return (
    <form
      class="with-button"
      onSubmit={(event) => {
        event.preventDefault()
        onSave(next.trim())
      }}
    >
      <input aria-label="New text" value={next} onInput={(event) => setNext(event.currentTarget.value)} />
      <button type="submit" class="button small" disabled={next.trim() === ''}>
        Save
      </button>
    </form>
  )
}

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
      ? ` ${callLength(Date.parse(call.endedAt) - Date.parse(call.acceptedAt))},`
      : ''
  return (
    <p class="call-entry">
      {direction}:{took} {ends[call.endReason ?? ''] ?? 'ended'} · {time(call.at)}
    </p>
  )
}
