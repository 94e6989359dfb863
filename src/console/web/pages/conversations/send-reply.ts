// Sends what is in the reply box. A retry after a lost answer repeats its key, so nothing is sent twice.
import { useRef } from 'preact/hooks'
import type { MessageRecord } from '../../../../contract/records/message.ts'
import type { UploadRecord } from '../../../../contract/records/upload.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { useAction } from '../../core/load.ts'
import { randomText } from '../../core/random-text.ts'

interface Reply {
  readonly text: string
  readonly file: UploadRecord | undefined
  readonly quoted: MessageRecord | undefined
}

export function useReply(conversationId: string) {
  const action = useAction()
  const keys = useRef(new Map<string, string>())
  const send = (reply: Reply): Promise<boolean> =>
    action.run(async () => {
      for (const body of bodiesOf(reply)) {
        const content = JSON.stringify(body)
        const idempotencyKey = keys.current.get(content) ?? `console-${randomText()}`
        keys.current.set(content, idempotencyKey)
        await api.post(inWorkspace(`/conversations/${conversationId}/reply`), { ...body, idempotencyKey })
      }
      // The same words again are another message.
      keys.current.clear()
    })
  return { send, isBusy: action.isBusy, error: action.error }
}

/** A text is the caption of its file, where the kind of file has one; else it follows as a message of its own. */
function bodiesOf({ text, file, quoted }: Reply): object[] {
  const replyTo = quoted && { replyTo: quoted.id }
  if (!file) return [{ text: { body: text }, ...replyTo }]
  const kind = kindOf(file.mimeType)
  const hasCaption = kind !== 'audio' && kind !== 'sticker' && text.length <= 1024
  const media = { kind, id: file.id, ...(hasCaption && text !== '' && { caption: text }) }
  const first = { media, ...replyTo }
  return hasCaption || text === '' ? [first] : [first, { text: { body: text } }]
}

function kindOf(mimeType: string): string {
  const [family = ''] = mimeType.split('/')
  if (mimeType === 'image/webp') return 'sticker'
  return ['image', 'video', 'audio'].includes(family) ? family : 'document'
}
