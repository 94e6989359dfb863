import type { MessageRecord, MessageStatus } from '../../../../contract/records/message.ts'
import { copyLink } from '../../core/clipboard.ts'
import { clock, exact, sentence } from '../../core/format.ts'
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
  /** Shown above the message; set for the first message of a day. */
  readonly day: string | undefined
  /** Undefined while the customer cannot be answered freely. */
  readonly answers: Answers | undefined
}

export function Bubble({ message, isWanted, day, answers }: Props) {
  const { direction, template, media, text, type, error } = message
  const isPlain = ['TEXT', 'TEMPLATE'].includes(type)
  return (
    <>
      {day && (
        <li class="day">
          <span>{day}</span>
        </li>
      )}
      <li
        class={direction === 'INBOUND' ? 'bubble in' : 'bubble out'}
        aria-current={isWanted ? 'true' : undefined}
      >
        <span class="visually-hidden">{direction === 'INBOUND' ? 'Customer:' : 'You:'}</span>
        <div class="bubble-row">
          <div class="bubble-body">
            {template && (
              <small>
                Template {template.name} · {template.language}
              </small>
            )}
            {!isPlain && !media && <small>{sentence(type)}</small>}
            {message.details?.media?.voice && <small>Voice message</small>}
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
          <LinkOf message={message} />
          <AnswerButtons message={message} answers={answers} />
        </div>
        {direction === 'INBOUND' ? <Arrived message={message} /> : <Ticks message={message} />}
      </li>
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

/** Hours and minutes. */
const short = (at: string): string => clock(at).slice(0, 5)

const Arrived = ({ message: { createdAt, status } }: { readonly message: MessageRecord }) => (
  <span class="ticks">
    {status === 'RECEIVED' && <strong>Unread</strong>}
    <time dateTime={createdAt} title={exact(createdAt)}>
      {short(createdAt)}
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
        {sentence(status)} {last && short(last.at)}
      </summary>
      <dl>
        {known.map(({ title, at }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              <time dateTime={at} title={exact(at)}>
                {clock(at).slice(0, 8)}
              </time>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}
