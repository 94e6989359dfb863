import type { MessageRecord, MessageStatus } from '../../../../contract/records/message.ts'
import { copyLink } from '../../core/clipboard.ts'
import { exact, sentence, time, timeToSecond } from '../../core/format.ts'
import { hrefOf } from '../../core/router.ts'
import { sayError } from '../../core/toasts.ts'
import { IconButton } from '../../parts/button.tsx'
import { FailureText } from '../../parts/failure.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { hrefOfMessage } from './address.ts'
import { AnswerButtons, type Answers } from './answers.tsx'
import { Attachment } from './attachment.tsx'
import { After, Before } from './details.tsx'

interface Props {
  readonly message: MessageRecord
  /** The page's address names this message. */
  readonly isWanted: boolean
  /** That sent the message. */
  readonly campaign: { readonly id: string; readonly name: string } | null
  /** Undefined while the customer cannot be answered freely. */
  readonly answers: Answers | undefined
}

export function Bubble({ message, campaign, isWanted, answers }: Props) {
  const { direction, media, text, error } = message
  return (
    <li
      class={`bubble ${direction === 'INBOUND' ? 'in' : 'out'}${message.type === 'STICKER' ? ' sticker' : ''}`}
      aria-current={isWanted ? 'true' : undefined}
    >
      <span class="visually-hidden">{direction === 'INBOUND' ? 'Customer:' : 'You:'}</span>
      <div class="bubble-row">
        <div class="bubble-body">
          <Kind message={message} campaign={campaign} />
          <Before message={message} />
          {media && <Attachment message={message} media={media} />}
          {text !== '' && <p>{text}</p>}
          <After message={message} />
          {error && (
            <p class="bubble-error">
              <Icon name="warning" />
              <FailureText failure={error} />
            </p>
          )}
        </div>
        <span class="bubble-tools">
          <AnswerButtons message={message} answers={answers} />
          <LinkOf message={message} />
        </span>
      </div>
      {direction === 'INBOUND' ? <Arrived message={message} /> : <Ticks message={message} />}
    </li>
  )
}

/** Above what was said: what it is and who sent it, where that is not a person who writes. */
function Kind({ message, campaign }: Pick<Props, 'message' | 'campaign'>) {
  const { template, media, type, details, caller } = message
  const isPlain = ['TEXT', 'TEMPLATE'].includes(type)
  return (
    <>
      {campaign && (
        <small class="bubble-source">
          <Icon name="campaigns" />
          <a href={hrefOf('campaigns', campaign.id)}>{campaign.name}</a>
        </small>
      )}
      {!campaign && caller?.apiKeyName && (
        <small class="bubble-source">
          <Icon name="keys" />
          {caller.apiKeyName}
        </small>
      )}
      {template && (
        <small>
          Template {template.name} · {template.language}
        </small>
      )}
      {!isPlain && !media && <small>{sentence(type)}</small>}
      {details?.media?.voice && <small>Voice message</small>}
    </>
  )
}

const LinkOf = ({ message: { conversationId, id } }: { readonly message: MessageRecord }) => (
  <IconButton
    label="Copy link to this message"
    icon="endpoints"
    onClick={() => void copyLink(hrefOfMessage(conversationId, id)).catch(sayError)}
  />
)

const Arrived = ({ message: { createdAt, status } }: { readonly message: MessageRecord }) => (
  <span class="ticks">
    {status === 'RECEIVED' && <strong>Unread</strong>}
    <time dateTime={createdAt} title={exact(createdAt)}>
      {time(createdAt)}
    </time>
  </span>
)

const marks: Readonly<Record<MessageStatus, IconName>> = {
  QUEUED: 'clock',
  SENT: 'check',
  DELIVERED: 'ticks',
  READ: 'ticks',
  FAILED: 'warning',
  RECEIVED: 'check',
}

/** The status of an outbound message; opened, it lists the time of each step. */
function Ticks({ message }: { readonly message: MessageRecord }) {
  const { status, createdAt, sentAt, deliveredAt, readAt, failedAt } = message
  const steps = [
    ['Accepted', createdAt],
    ['Sent', sentAt],
    ['Delivered', deliveredAt],
    ['Read', readAt],
    ['Failed', failedAt],
  ] as const
  const known = steps.flatMap(([title, at]) => (at === null ? [] : [{ title, at }]))
  const last = known.at(-1)
  return (
    <details class={`ticks ${status.toLowerCase()}`}>
      <summary>
        <Icon name={marks[status]} />
        {sentence(status)} {last && time(last.at)}
      </summary>
      <dl>
        {known.map(({ title, at }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              <time dateTime={at} title={exact(at)}>
                {timeToSecond(at)}
              </time>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
