// The form of a reply: text, files, and the message that is quoted. What was begun stays when somebody goes elsewhere.
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import type { MessageRecord } from '../../../../contract/records/message.ts'
import { exact, now, plural } from '../../core/format.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import type { Draft } from './draft.ts'
import { Attach, DraftFiles } from './draft-files.tsx'
import { attach } from './draft-uploads.ts'
import { changeDraft, draftOf, unquote } from './drafts.ts'
import { sendDraft } from './outbox.ts'
import { timeLeft } from './rules.ts'
import { kindName } from './words.ts'

export interface ReplyProps {
  readonly conversation: ConversationRecord
  /** What was written is on its way. */
  onSend(): void
  onTemplate(): void
}

const LONGEST = 4_096
const FEW = 200

/** On a touch screen, Enter begins a new line, as the keyboard there shows. */
const isTouch = (): boolean => matchMedia('(pointer: coarse)').matches

export function ReplyForm({ conversation, onSend, onTemplate }: ReplyProps) {
  const { id } = conversation
  const draft = draftOf(id)
  const box = useRef<HTMLTextAreaElement>(null)
  useGrowing(box, draft.text)
  const isSendable = isReady(draft)
  const submit = () => {
    if (!isSendable) return
    sendDraft(id, draft)
    onSend()
    box.current?.focus()
  }
  return (
    <form
      class="reply"
      aria-label="Reply"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {draft.quoted && <Quoted message={draft.quoted} onClose={() => unquote(id)} />}
      <DraftFiles id={id} files={draft.files} />
      <div class="reply-line">
        <Attach onChoose={(files) => attach(id, files)} />
        <IconButton label="Choose a template" icon="templates" onClick={onTemplate} />
        <textarea
          ref={box}
          aria-label="Your reply"
          aria-describedby="reply-keys"
          placeholder="Write a reply"
          rows={1}
          maxLength={LONGEST}
          value={draft.text}
          onInput={({ currentTarget }) => changeDraft(id, { text: currentTarget.value })}
          onPaste={(event) => {
            const files = event.clipboardData?.files
            if (!files?.length) return
            event.preventDefault()
            attach(id, files)
          }}
          onKeyDown={(event) => {
            if (!sends(event)) return
            event.preventDefault()
            submit()
          }}
        />
        <Button look="primary" icon="send" type="submit" disabled={!isSendable}>
          Send
        </Button>
      </div>
      <Foot conversation={conversation} draft={draft} />
    </form>
  )
}

function isReady({ text, files }: Draft): boolean {
  const isBusy = files.some(({ upload }) => upload === undefined)
  return !isBusy && (text.trim() !== '' || files.length > 0)
}

/** What Safari gives every key of an input method: it ends the composition before the Enter that confirms it. */
const COMPOSING_KEY = 229

function sends({ key, keyCode, shiftKey, ctrlKey, metaKey, isComposing }: KeyboardEvent): boolean {
  if (key !== 'Enter' || isComposing || keyCode === COMPOSING_KEY) return false
  return ctrlKey || metaKey || !(shiftKey || isTouch())
}

/** Where the browser does not grow a field with its content by itself. */
function useGrowing(box: { readonly current: HTMLTextAreaElement | null }, text: string): void {
  useLayoutEffect(() => {
    const { current: element } = box
    if (!element || CSS.supports('field-sizing', 'content')) return
    element.style.height = 'auto'
    element.style.height = `${element.scrollHeight + 2}px`
  }, [text])
}

const Quoted = ({ message, onClose }: { readonly message: MessageRecord; onClose(): void }) => (
  <div class="reply-quoted">
    <p>
      <small>{message.direction === 'INBOUND' ? 'Customer' : 'You'}</small>
      <span>{message.text === '' ? kindName(message.type) : message.text.slice(0, 160)}</span>
    </p>
    <IconButton label="Do not quote this message" icon="close" onClick={onClose} />
  </div>
)

/** How long free replies are possible, counted down; and the keys, or how much more can be written. */
function Foot({
  conversation: { windowExpiresAt },
  draft: { text, files },
}: {
  readonly conversation: ConversationRecord
  readonly draft: Draft
}) {
  const left = timeLeft(windowExpiresAt, now.value)
  const room = LONGEST - text.length
  return (
    <div class="reply-foot">
      {left && windowExpiresAt && (
        <small
          class={left.isShort ? 'reply-left short' : 'reply-left'}
          title={`Free replies until ${exact(windowExpiresAt)}; templates at any time.`}
        >
          <Icon name="clock" />
          {left.text} left to reply
        </small>
      )}
      <small id="reply-keys" role={room < FEW ? 'status' : undefined}>
        {hintOf(files, room)}
      </small>
    </div>
  )
}

function hintOf(files: Draft['files'], room: number): string {
  if (files.some(({ problem }) => problem !== undefined))
    return 'Remove or repeat the file that failed, then send.'
  if (room < FEW) return `${plural(room, 'character')} left`
  return isTouch() ? '' : 'Enter sends, Shift+Enter begins a new line'
}
