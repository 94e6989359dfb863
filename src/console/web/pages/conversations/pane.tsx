// What is known of the contact, beside the thread; a page of its own where there is no room for both.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ConversationDetails } from '../../../../contract/records/console.ts'
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import { inWorkspace } from '../../core/api.ts'
import { phone, sentence } from '../../core/format.ts'
import { useResource } from '../../core/load.ts'
import { hrefOf } from '../../core/router.ts'
import { can } from '../../core/session.ts'
import { CopyButton } from '../../parts/code.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Problem, Skeleton } from '../../parts/states.tsx'
import { Ago } from '../../parts/time.tsx'
import { hrefOfConversation, isDetailed } from './address.ts'
import { PrivacyActions } from './privacy.tsx'
import { CallPermission, OptOuts, Window } from './standing.tsx'
import { callTitle, isUnanswered, nameOf, recipientOf } from './words.ts'

interface Props {
  readonly conversation: ConversationRecord
}

export function DetailsPane({ conversation }: Props) {
  const { id, group, updatedAt } = conversation
  const { data, error, reload } = useResource<ConversationDetails>(
    inWorkspace(`/conversations/${id}/details`),
  )
  useEffect(() => {
    if (data) reload()
  }, [updatedAt])
  const title = useFocusOnOpening()
  return (
    <aside class="details-pane" aria-label="Details">
      <a class="back" href={hrefOfConversation(id)}>
        <Icon name="chevron" />
        {nameOf(conversation)}
      </a>
      {/* Shown where the thread, and with it the heading of the page, is not. */}
      <h1 ref={title} tabIndex={-1}>
        Details
      </h1>
      <h2>{group ? 'Group' : 'Contact'}</h2>
      <Contact conversation={conversation} />
      <h2>What is allowed</h2>
      <div class="pane-badges">
        {group ? <span class="dim">A group takes no replies.</span> : <Allowed conversation={conversation} />}
      </div>
      <Problem error={error} />
      {!data && !error && <Skeleton rows={3} />}
      {data && <Activity conversation={conversation} details={data} />}
      {!group && can('ADMIN') && (
        <>
          <h2>Privacy</h2>
          <PrivacyActions conversation={conversation} />
        </>
      )}
    </aside>
  )
}

/** What was pressed to open or close the details may be gone with its page. */
function useFocusOnOpening() {
  const title = useRef<HTMLHeadingElement>(null)
  const isOpen = isDetailed()
  const wasOpen = useRef(isOpen)
  useEffect(() => {
    if (isOpen === wasOpen.current) return
    wasOpen.current = isOpen
    if (isOpen) title.current?.focus()
    else document.querySelector<HTMLElement>('.details-link')?.focus()
  }, [isOpen])
  return title
}

function Contact({ conversation: { id, contact, group, number } }: Props) {
  const facts: (readonly [string, string, string?])[] = group
    ? [['Group ID', group.id, group.id]]
    : [
        ...(contact.name === null ? [] : [['Name', contact.name] as const]),
        ...(contact.number === '' ? [] : [['Phone', phone(contact.number), contact.number] as const]),
        ...(contact.username === null
          ? []
          : [['Username', `@${contact.username}`, contact.username] as const]),
        ...(contact.userId === null ? [] : [['User ID', contact.userId, contact.userId] as const]),
      ]
  return (
    <dl class="pane-facts">
      {[...facts, ['Your number', phone(number), number] as const, ['Conversation', id, id] as const].map(
        ([title, value, copied]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>
              <span>{title.endsWith('ID') || title === 'Conversation' ? <code>{value}</code> : value}</span>
              {copied !== undefined && <CopyButton text={copied} label="Copy" />}
            </dd>
          </div>
        ),
      )}
    </dl>
  )
}

const Allowed = ({ conversation }: Props) => (
  <>
    {conversation.contact.optedOut ? null : <Window conversation={conversation} />}
    <OptOuts conversation={conversation} />
    <CallPermission conversation={conversation} />
  </>
)

const statusOf = (status: string): string => sentence(status).toLowerCase()

function Activity({
  conversation: { contact, group },
  details: { calls, campaigns, others },
}: Props & { readonly details: ConversationDetails }) {
  const all = `${hrefOf('calls')}?contact=${encodeURIComponent(recipientOf(contact))}`
  return (
    <>
      {!group && (
        <Part title="Calls" none="No calls yet." all={calls.length > 0 ? all : undefined}>
          {calls.map((call) => (
            <Row
              key={call.id}
              href={hrefOf('calls', call.id)}
              icon={isUnanswered(call) ? 'missed' : 'calls'}
              title={callTitle(call)}
              at={call.createdAt}
            />
          ))}
        </Part>
      )}
      <Part title="Campaigns" none="None sent to this contact lately.">
        {campaigns.map(({ id, name, status, lastSentAt }) => (
          <Row
            key={id}
            href={hrefOf('campaigns', id)}
            icon="campaigns"
            title={`${name}, ${statusOf(status)}`}
            at={lastSentAt}
          />
        ))}
      </Part>
      {others.length > 0 && (
        <Part title="With your other numbers" none="">
          {others.map((other) => (
            <Row
              key={other.id}
              href={hrefOf('conversations', other.id)}
              icon="conversations"
              title={phone(other.number)}
              at={other.lastMessage?.at ?? other.updatedAt}
            />
          ))}
        </Part>
      )}
    </>
  )
}

const Part = ({
  title,
  none,
  all,
  children,
}: {
  readonly title: string
  readonly none: string
  readonly all?: string | undefined
  readonly children: readonly ComponentChildren[]
}) => (
  <>
    <h2>
      {title}
      {all && <a href={all}>All</a>}
    </h2>
    {children.length === 0 ? <p class="dim">{none}</p> : <ul class="pane-rows">{children}</ul>}
  </>
)

const Row = ({
  href,
  icon,
  title,
  at,
}: {
  readonly href: string
  readonly icon: 'calls' | 'missed' | 'campaigns' | 'conversations'
  readonly title: string
  readonly at: string
}) => (
  <li>
    <a href={href}>
      <Icon name={icon} />
      <span>{title}</span>
      <small>
        <Ago at={at} />
      </small>
    </a>
  </li>
)
