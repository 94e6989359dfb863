// The reply box below a thread: text, one file, and the message that is quoted, while the 24 hours are open.
import { useRef, useState } from 'preact/hooks'
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import type { MessageRecord } from '../../../../contract/records/message.ts'
import type { UploadRecord } from '../../../../contract/records/upload.ts'
import { exact, now } from '../../core/format.ts'
import { useAction } from '../../core/load.ts'
import { uploadFile } from '../../core/upload-file.ts'
import { useUnsaved } from '../../core/use-unsaved.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Problem } from '../../parts/states.tsx'
import { useReply } from './send-reply.ts'

interface Props {
  readonly conversation: ConversationRecord
  readonly quoted: MessageRecord | undefined
  onUnquote(): void
  onSent(): void
  onTemplate(): void
}

export function ReplyBox(props: Props) {
  const { contact, windowExpiresAt, group } = props.conversation
  if (group || contact.optedOut) return null
  if (windowExpiresAt === null || Date.parse(windowExpiresAt) <= now.value) return <Closed {...props} />
  return <Open {...props} expiresAt={windowExpiresAt} />
}

const Closed = ({ conversation: { windowExpiresAt }, onTemplate }: Props) => (
  <div class="reply closed">
    <p>
      {windowExpiresAt === null
        ? 'The customer has not written or called yet: only a template can be sent.'
        : 'The 24 hours after the last message or call are over: only a template can be sent.'}
    </p>
    <Button icon="templates" onClick={onTemplate}>
      Choose a template
    </Button>
  </div>
)

function Open({
  conversation,
  quoted,
  onUnquote,
  onSent,
  expiresAt,
}: Props & { readonly expiresAt: string }) {
  const [text, setText] = useState('')
  const [file, setFile] = useState<UploadRecord>()
  const box = useRef<HTMLTextAreaElement>(null)
  const uploading = useAction()
  const { send, isBusy, error } = useReply(conversation.id)
  const unsaved = useUnsaved()
  const isEmpty = text.trim() === '' && !file
  const submit = async () => {
    if (isEmpty || uploading.isBusy || !(await send({ text: text.trim(), file, quoted }))) return
    unsaved.saved()
    setText('')
    setFile(undefined)
    onUnquote()
    onSent()
    box.current?.focus()
  }
  const upload = (chosen: File) =>
    uploading.run(async () =>
      setFile(await uploadFile<UploadRecord>(`/conversations/${conversation.id}/files`, chosen)),
    )
  return (
    <form
      {...unsaved.watch}
      class="reply"
      aria-label="Reply"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {quoted && <Quoted message={quoted} onClose={onUnquote} />}
      {file && (
        <p class="reply-part">
          <Icon name="file" />
          <span role="status">{file.fileName}</span>
          <IconButton label="Remove the file" icon="close" onClick={() => setFile(undefined)} />
        </p>
      )}
      <div class="reply-line">
        <Attach isBusy={uploading.isBusy} onChoose={(chosen) => void upload(chosen)} />
        <textarea
          ref={box}
          aria-label="Your reply"
          placeholder="Write a reply"
          rows={1}
          maxLength={4096}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
            event.preventDefault()
            void submit()
          }}
        />
        <Button look="primary" icon="send" type="submit" isBusy={isBusy} disabled={isEmpty}>
          Send
        </Button>
      </div>
      <Left expiresAt={expiresAt} />
      <Problem error={error ?? uploading.error} />
    </form>
  )
}

const Quoted = ({ message, onClose }: { readonly message: MessageRecord; onClose(): void }) => (
  <p class="reply-part">
    <Icon name="reply" />
    <span>
      {message.direction === 'INBOUND' ? 'Customer' : 'You'}: {shownOf(message)}
    </span>
    <IconButton label="Do not quote this message" icon="close" onClick={onClose} />
  </p>
)

const shownOf = ({ text, type }: MessageRecord): string =>
  text === '' ? type.toLowerCase() : text.slice(0, 120)

/** How long free replies are still possible; it counts down while it is shown. */
function Left({ expiresAt }: { readonly expiresAt: string }) {
  const minutes = Math.max(1, Math.floor((Date.parse(expiresAt) - now.value) / 60_000))
  const left = minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
  return (
    <small class="reply-left" title={`Free replies until ${exact(expiresAt)}; templates at any time.`}>
      <Icon name="clock" />
      {left} left to reply
    </small>
  )
}

function Attach({ isBusy, onChoose }: { readonly isBusy: boolean; onChoose(file: File): void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        class="visually-hidden"
        aria-label="File to send"
        tabIndex={-1}
        onChange={({ currentTarget }) => {
          const [chosen] = currentTarget.files ?? []
          if (chosen) onChoose(chosen)
          currentTarget.value = ''
        }}
      />
      <IconButton
        label="Attach a file"
        icon="plus"
        aria-busy={isBusy || undefined}
        disabled={isBusy}
        onClick={() => input.current?.click()}
      />
    </>
  )
}
