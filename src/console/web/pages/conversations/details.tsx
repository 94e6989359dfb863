// What a message holds beside its text and its file.
import type { MessageRecord } from '../../../../contract/records/message.ts'
import type {
  ContactCard,
  ContextDetails,
  EditedDetails,
  MessageDetails,
  MessageReference,
  OrderDetails,
  ReferralDetails,
  ReplyDetails,
  UnsupportedDetails,
} from '../../../../contract/records/message-details.ts'
import { exact, phone, sentence, time } from '../../core/format.ts'
import { Icon } from '../../parts/icon.tsx'
import { hrefOfMessage } from './address.ts'

interface Of {
  readonly message: MessageRecord
}

/** Above the text: what the message answers, and whence the customer came. */
export function Before({ message: { conversationId, details } }: Of) {
  if (details === null) return null
  const { context, referral, reaction, edit, revoke } = details
  const about = reaction ?? edit ?? revoke
  return (
    <>
      {referral && <Referral referral={referral} />}
      {context && <Context context={context} conversationId={conversationId} />}
      {about && <About conversationId={conversationId} to={about} word={wordOf(details)} />}
    </>
  )
}

/** Below the text. Each part is shown by what the message has, whatever its type. */
export function After({ message: { details } }: Of) {
  if (details === null) return null
  const { location, contacts, order, reply, unsupported, edited, revoked, callPermission, system } = details
  return (
    <>
      {location && location.latitude !== null && location.longitude !== null && (
        <p class="dim">
          {location.latitude}, {location.longitude}
        </p>
      )}
      {contacts?.map((card) => (
        <Card key={JSON.stringify(card)} card={card} />
      ))}
      {order && <Order order={order} />}
      {reply && <Reply reply={reply} />}
      {callPermission && (
        <p>{callPermission.granted ? 'Allows you to call.' : 'Does not allow you to call.'}</p>
      )}
      {system && <p class="dim">{systemWords[system.kind]}</p>}
      {unsupported && <Unsupported unsupported={unsupported} providerType={details.providerType} />}
      {details.truncated && <p class="dim">Some of it was too long and was cut.</p>}
      {revoked && <p class="dim">The customer took this message back.</p>}
      {edited && <Edited edited={edited} />}
    </>
  )
}

const systemWords = {
  number_changed: 'The customer has a new phone number.',
  id_changed: 'The customer has a new user id.',
  other: 'A notice of the provider.',
} as const

function wordOf({ reaction, edit }: MessageDetails): string {
  if (edit) return 'Edited'
  if (!reaction) return 'Took back'
  return reaction.removed ? 'Took a reaction back from' : 'Reacted to'
}

interface AboutProps {
  readonly conversationId: string
  readonly to: Pick<MessageReference, 'messageId'>
  readonly word: string
}

const About = ({ conversationId, to: { messageId }, word }: AboutProps) => (
  <small>
    {word}{' '}
    {messageId === null ? (
      'a message that is not known here'
    ) : (
      <a href={hrefOfMessage(conversationId, messageId)}>this message</a>
    )}
  </small>
)

function Context({
  context,
  conversationId,
}: {
  readonly context: ContextDetails
  readonly conversationId: string
}) {
  const { providerMessageId, messageId, forwarded, frequentlyForwarded, product } = context
  return (
    <>
      {providerMessageId !== null && (
        <About conversationId={conversationId} to={{ messageId }} word="In reply to" />
      )}
      {forwarded && <small>{frequentlyForwarded ? 'Forwarded many times' : 'Forwarded'}</small>}
      {product && (
        <small>
          About the product <code>{product.productId}</code>
        </small>
      )}
    </>
  )
}

const Referral = ({
  referral: { sourceType, headline, body, sourceId, clickId },
}: {
  readonly referral: ReferralDetails
}) => (
  <div class="part">
    <small>
      From {sourceType === 'post' ? 'a post' : 'an ad'}
      {sourceId !== null && (
        <>
          {' '}
          <code>{sourceId}</code>
        </>
      )}
    </small>
    {headline !== null && <strong>{headline}</strong>}
    {body !== null && <p>{body}</p>}
    {clickId !== null && (
      <small>
        Click <code>{clickId}</code>
      </small>
    )}
  </div>
)

function Card({ card: { name, phones, emails, organization, origin } }: { readonly card: ContactCard }) {
  return (
    <div class="part">
      <strong>{name ?? 'Contact'}</strong>
      {organization?.company && <span>{organization.company}</span>}
      {phones.map(({ phone: written, waId }) => (
        <span key={`${written} ${waId}`}>{written ?? phone(waId ?? '')}</span>
      ))}
      {emails.map(({ email }) => (
        <span key={email}>{email}</span>
      ))}
      {origin === 'contact_request' && <small>The sender's own number</small>}
    </div>
  )
}

const Order = ({ order: { items } }: { readonly order: OrderDetails }) => (
  <div class="part">
    <strong>{items.length === 1 ? '1 product' : `${items.length} products`}</strong>
    {items.map(({ productId, quantity, price, currency }) => (
      <span key={productId}>
        {quantity ?? 1} × <code>{productId}</code>
        {price !== null && ` at ${price} ${currency ?? ''}`}
      </span>
    ))}
  </div>
)

function Reply({
  reply: { kind, id, description, payload, response, responseRaw },
}: {
  readonly reply: ReplyDetails
}) {
  const chosen = payload ?? id
  return (
    <>
      {description !== null && <p class="dim">{description}</p>}
      {(kind === 'button' || kind === 'list' || kind === 'template_button') && chosen !== null && (
        <small>
          Chose <code>{chosen}</code>
        </small>
      )}
      {response && <Answers response={response} />}
      {!response && responseRaw !== null && <code>{responseRaw}</code>}
    </>
  )
}

const Answers = ({ response }: { readonly response: Readonly<Record<string, unknown>> }) => (
  <dl class="part answers">
    {Object.entries(response).map(([name, answer]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{typeof answer === 'string' ? answer : JSON.stringify(answer)}</dd>
      </div>
    ))}
  </dl>
)

function Unsupported({
  unsupported: { type, errors },
  providerType,
}: {
  readonly unsupported: UnsupportedDetails
  readonly providerType: string | undefined
}) {
  const what = type ?? providerType
  return (
    <>
      <p class="dim">
        This cannot be shown here{what === undefined || what === 'unsupported' ? '.' : `: ${sentence(what)}.`}
      </p>
      {errors.map(({ code, title, details }) => (
        <p key={code} class="bubble-error">
          <Icon name="warning" />
          <span>
            {details ?? title} <code>{code}</code>
          </span>
        </p>
      ))}
    </>
  )
}

const Edited = ({ edited: { at, versions } }: { readonly edited: EditedDetails }) => (
  <details>
    <summary>
      Edited at{' '}
      <time dateTime={at} title={exact(at)}>
        {time(at)}
      </time>
    </summary>
    {versions.map(({ text, until }) => (
      <p key={until} class="dim">
        {text === '' ? 'No text' : text}
      </p>
    ))}
  </details>
)
