// One handset: its number and behaviour, the phone, and the settings below it.
import { useEffect, useState } from 'preact/hooks'
import type { HandsetView } from '../views.ts'
import { behaviourOf } from './behaviours.ts'
import { CallSheet } from './call-sheet.tsx'
import { Chat } from './chat.tsx'
import { Composer } from './composer.tsx'
import { type Act, control, messageOf } from './control.ts'
import { Icon, IconButton } from './icon.tsx'
import { Identity } from './identity.tsx'
import { handsets, numbers } from './live.ts'
import { close } from './opened.ts'
import { PhoneSettings } from './phone-settings.tsx'
import { now, phone } from './words.ts'

const TYPING_MS = 25_000

export function Phone({ waId }: { readonly waId: string }) {
  const handset = handsets.value[waId]
  const [problem, setProblem] = useState<string>()
  const [number, setNumber] = useNumber(handset)
  const act: Act = async (method, path, body) => {
    try {
      await control(method, path, body)
      setProblem(undefined)
      return true
    } catch (error) {
      setProblem(messageOf(error))
      return false
    }
  }
  const title = `handset-${waId}-title`
  return (
    <section class="handset" id={`handset-${waId}`} aria-labelledby={title}>
      <div class="handset-title">
        <div>
          <h2 id={title} tabIndex={-1}>
            {phone(waId)}
          </h2>
          <p class="hint">{behaviourOf(waId)}</p>
        </div>
        <IconButton label={`Close ${phone(waId)}`} icon="close" onClick={() => close(waId)} />
      </div>
      {handset && number !== undefined && (
        <>
          <div class={handset.online ? 'phone' : 'phone is-offline'}>
            <ChatHeader {...{ handset, number, setNumber, act }} />
            <CallSheet handset={handset} act={act} />
            {!handset.online && <p class="offline">Offline. Nothing arrives until it is back.</p>}
            <Chat handset={handset} number={number} act={act} />
            <div role="alert" class="phone-problem-place">
              {problem !== undefined && (
                <p class="phone-problem">
                  <span>{problem}</span>
                  <IconButton label="Dismiss" icon="close" onClick={() => setProblem(undefined)} />
                </p>
              )}
            </div>
            <Composer handset={handset} number={number} act={act} />
          </div>
          <PhoneSettings handset={handset} number={number} act={act} />
          <Identity handset={handset} act={act} />
        </>
      )}
    </section>
  )
}

/** The number whose chat is shown: the chosen one until a message or call comes in, then the latest one. */
function useNumber(handset: HandsetView | undefined) {
  const [chosen, setNumber] = useState<string>()
  const called = handset?.calls.findLast((call) => call.direction === 'BUSINESS_INITIATED')
  const wrote = handset?.inbox.at(-1)
  const latest = (called?.at ?? '') > (wrote?.at ?? '') ? called : wrote
  useEffect(() => setNumber(undefined), [latest?.at])
  return [chosen ?? latest?.phoneNumberId ?? numbers.value[0]?.id, setNumber] as const
}

function ChatHeader({
  handset,
  number,
  setNumber,
  act,
}: {
  readonly handset: HandsetView
  readonly number: string
  setNumber(id: string): void
  readonly act: Act
}) {
  const name = numbers.value.find(({ id }) => id === number)?.verifiedName ?? ''
  const isInCall = handset.calls.some(({ state }) => state !== 'ended')
  return (
    <div class="chat-header">
      <span class="avatar" aria-hidden="true">
        {name.charAt(0)}
      </span>
      <div class="chat-with">
        <select
          aria-label="Chat with"
          value={number}
          onChange={(event) => setNumber(event.currentTarget.value)}
        >
          {numbers.value.map(({ id, verifiedName }) => (
            <option key={id} value={id}>
              {verifiedName}
            </option>
          ))}
        </select>
        <span class="chat-sub">
          {isTyping(handset, number)
            ? 'typing…'
            : phone(numbers.value.find(({ id }) => id === number)?.digits ?? '')}
        </span>
      </div>
      <button
        type="button"
        class="button round call"
        aria-label={`Call ${name}`}
        title={`Call ${name}`}
        disabled={isInCall || !handset.online}
        onClick={() => void act('POST', `handsets/${handset.waId}/calls`, { to: number })}
      >
        <Icon name="call" />
      </button>
    </div>
  )
}

/** True from the business's typing indicator until its next message, for at most 25 s. */
function isTyping({ inbox, outbox }: HandsetView, number: string): boolean {
  const until = outbox
    .filter((item) => item.phoneNumberId === number)
    .reduce((latest, { typingUntil }) => Math.max(latest, Date.parse(typingUntil ?? '') || 0), 0)
  const hasAnswered = inbox.some(
    ({ phoneNumberId, at }) => phoneNumberId === number && Date.parse(at) > until - TYPING_MS,
  )
  return until > now.value && !hasAnswered
}
