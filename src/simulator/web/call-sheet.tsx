// Shows ringing and active calls above the chat. The chat stays usable.
import type { CallRow, HandsetView } from '../views.ts'
import type { Act } from './control.ts'
import { Icon } from './icon.tsx'
import { numbers } from './live.ts'
import { callLength, now } from './words.ts'

export function CallSheet({ handset, act }: { readonly handset: HandsetView; readonly act: Act }) {
  const live = handset.calls.filter(({ state }) => state !== 'ended')
  return (
    <div class="calls">
      {/* A screen reader announces an incoming call at once, wherever the focus is. */}
      <p role="alert" class="visually-hidden">
        {live.filter(isIncoming).map((call) => `${nameOf(call)} is calling.`)}
      </p>
      {live.map((call) => (
        <Sheet key={call.wacid} call={call} isOnline={handset.online} act={act} />
      ))}
    </div>
  )
}

const isIncoming = ({ direction, state }: CallRow): boolean =>
  direction === 'BUSINESS_INITIATED' && state === 'ringing'

const nameOf = ({ phoneNumberId }: CallRow): string =>
  numbers.value.find(({ id }) => id === phoneNumberId)?.verifiedName ?? 'The business'

function Sheet({
  call,
  isOnline,
  act,
}: {
  readonly call: CallRow
  readonly isOnline: boolean
  readonly act: Act
}) {
  const name = nameOf(call)
  const does = (action: string) => act('POST', `calls/${encodeURIComponent(call.wacid)}/${action}`)
  const isRinging = call.state === 'ringing'
  // An offline handset does not show an incoming call.
  if (isIncoming(call) && !isOnline) return null
  return (
    <section class={isRinging ? 'call-sheet is-ringing' : 'call-sheet'} aria-label={`Call with ${name}`}>
      <span class="avatar large" aria-hidden="true">
        {name.charAt(0)}
      </span>
      <strong>{name}</strong>
      <span class="call-state">
        <CallState call={call} />
      </span>
      <div class="call-buttons">
        {isIncoming(call) ? (
          <>
            <button type="button" class="button danger" onClick={() => void does('decline')}>
              <Icon name="hangup" /> Decline
            </button>
            <button type="button" class="button answer" onClick={() => void does('answer')}>
              <Icon name="call" /> Answer
            </button>
          </>
        ) : (
          <button type="button" class="button danger" onClick={() => void does('hangup')}>
            <Icon name="hangup" /> Hang up
          </button>
        )}
      </div>
    </section>
  )
}

function CallState({ call }: { readonly call: CallRow }) {
  if (isIncoming(call)) return <>Incoming call</>
  if (call.acceptedAt === null) return <>Calling…</>
  const media = call.media === 'real' ? 'real audio' : 'no sound'
  return (
    <>
      <span role="timer" aria-label="Time in the call">
        {callLength(now.value - Date.parse(call.acceptedAt))}
      </span>{' '}
      · {media}
    </>
  )
}
