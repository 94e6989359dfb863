import { useId, useRef, useState } from 'preact/hooks'
import type { HandsetView } from '../views.ts'
import type { Act } from './control.ts'
import { Icon } from './icon.tsx'

/** The provider's limit for an image. */
const PICTURE_BYTES = 5 * 1024 * 1024

interface Other {
  readonly title: string
  /** `text`: what stands in the field. */
  message(text: string): Readonly<Record<string, unknown>>
}

const others: readonly Other[] = [
  {
    title: 'Place',
    message: () => ({
      ...{ type: 'location', text: 'Dock' },
      content: { latitude: 38.7, longitude: -9.1, name: 'Dock', address: 'Pier 2' },
    }),
  },
  {
    title: 'Contact',
    message: () => ({
      ...{ type: 'contacts', text: 'Lu Gomez' },
      content: [
        { name: { formatted_name: 'Lu Gomez' }, phones: [{ phone: '+1 983 555 2319', type: 'MOBILE' }] },
      ],
    }),
  },
  { title: 'Voice message', message: () => ({ type: 'audio', voice: true }) },
  { title: 'Document', message: (caption) => ({ type: 'document', fileName: 'receipt.pdf', caption }) },
  {
    title: 'Order',
    message: (text) => ({
      ...{ type: 'order', text: text || 'order' },
      content: {
        catalog_id: '1',
        text,
        product_items: [{ product_retailer_id: 'sku-1', quantity: 2, item_price: 30, currency: 'EUR' }],
      },
    }),
  },
  {
    title: 'Text in a group',
    message: (text) => ({ type: 'text', text: text || 'Hello, all', groupId: 'group-1' }),
  },
  {
    title: 'Poll (not supported)',
    message: () => ({ type: 'unsupported', content: { type: 'poll_creation' } }),
  },
]

export function Composer({
  handset,
  number,
  act,
}: {
  readonly handset: HandsetView
  readonly number: string
  readonly act: Act
}) {
  const [text, setText] = useState('')
  const [tooLarge, setTooLarge] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const id = useId()
  const path = `handsets/${handset.waId}/messages`
  const write = async (message: Readonly<Record<string, unknown>>) => {
    // What was typed meanwhile is not sent yet.
    if (await act('POST', path, { to: number, ...message })) setText((now) => (now === text ? '' : now))
    field.current?.focus()
  }
  const sendPicture = async (file: File | undefined) => {
    setTooLarge(file !== undefined && file.size > PICTURE_BYTES)
    if (file === undefined || file.size > PICTURE_BYTES) return
    const caption = text.trim() === '' ? {} : { caption: text.trim() }
    const picture = { mimeType: file.type, fileName: file.name, mediaBase64: await base64Of(file) }
    await write({ type: 'image', ...picture, ...caption })
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '') void write({ type: 'text', text: text.trim() })
      }}
    >
      {tooLarge && (
        <p class="field-error" role="alert">
          A picture has at most 5 MB.
        </p>
      )}
      <input
        id={`${id}-picture`}
        class="visually-hidden picture-input"
        type="file"
        accept="image/png,image/jpeg,image/webp"
        aria-label="Send a picture"
        disabled={!handset.online}
        onChange={(event) => {
          const input = event.currentTarget
          void sendPicture(input.files?.[0]).finally(() => {
            // Clear the input: otherwise choosing the same picture again causes no event.
            input.value = ''
          })
        }}
      />
      <label class="button quiet icon-only" for={`${id}-picture`} title="Send a picture">
        <Icon name="picture" />
      </label>
      <input
        ref={field}
        aria-label="Message"
        placeholder="Message"
        autocomplete="off"
        maxLength={4096}
        value={text}
        disabled={!handset.online}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <SendElse isOnline={handset.online} send={(other) => write(other.message(text.trim()))} />
      <button
        type="submit"
        class="button primary round"
        aria-label="Send"
        title="Send"
        disabled={!handset.online || text.trim() === ''}
      >
        <Icon name="send" />
      </button>
    </form>
  )
}

function SendElse({ isOnline, send }: { readonly isOnline: boolean; send(other: Other): Promise<void> }) {
  return (
    <select
      aria-label="Send something else"
      class="send-else"
      value=""
      disabled={!isOnline}
      onChange={(event) => {
        const chosen = others.find(({ title }) => title === event.currentTarget.value)
        event.currentTarget.value = ''
        if (chosen !== undefined) void send(chosen)
      }}
    >
      <option value="">+</option>
      {others.map(({ title }) => (
        <option key={title} value={title}>
          {title}
        </option>
      ))}
    </select>
  )
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '')
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}
