// A template as the customer's phone shows it.
import type { ComponentChildren } from 'preact'
import type { TemplatePreview } from '../../../../contract/records/console.ts'
import { Icon, type IconName } from '../../parts/icon.tsx'
import type { MediaFormat } from './draft.ts'

const mediaIcons: Readonly<Record<MediaFormat, IconName>> = {
  IMAGE: 'image',
  VIDEO: 'video',
  DOCUMENT: 'document',
}

const buttonIcons: Readonly<Record<string, IconName>> = {
  QUICK_REPLY: 'reply',
  URL: 'open',
  PHONE_NUMBER: 'calls',
  COPY_CODE: 'copy',
}

/** The media format of a template's header; undefined if it has no media. */
export function mediaOf(components: readonly unknown[]): MediaFormat | undefined {
  for (const component of components as readonly { type?: unknown; format?: unknown }[]) {
    if (String(component.type).toUpperCase() !== 'HEADER') continue
    const format = String(component.format).toUpperCase()
    if (format === 'IMAGE' || format === 'VIDEO' || format === 'DOCUMENT') return format
  }
  return undefined
}

export function Bubble({
  preview,
  media,
  label = 'What the customer sees',
}: {
  readonly preview: TemplatePreview | undefined
  readonly media: MediaFormat | undefined
  readonly label?: string
}) {
  const { header, body, footer, buttons } = preview ?? { header: null, body: '', footer: null, buttons: [] }
  return (
    <figure class="phone" aria-label={label}>
      <div class="phone-card">
        {media && (
          <div class="phone-media" role="img" aria-label={media.toLowerCase()}>
            <Icon name={mediaIcons[media]} />
          </div>
        )}
        {!media && header && (
          <p class="phone-header">
            <Filled text={header} />
          </p>
        )}
        {body === '' ? (
          <p class="dim">The text appears here while you write it.</p>
        ) : (
          <p class="phone-body">
            <Formatted text={body} />
          </p>
        )}
        {footer && <p class="phone-footer">{footer}</p>}
        {buttons.map(({ type, text, url, phoneNumber }, index) => (
          <div key={index} class="phone-button" title={url ?? phoneNumber}>
            <Icon name={buttonIcons[type] ?? 'open'} />
            <Filled text={text || '…'} />
          </div>
        ))}
      </div>
    </figure>
  )
}

const formats: readonly (readonly [RegExp, (inner: string) => ComponentChildren])[] = [
  [/```([^`]+)```/, (inner) => <code>{inner}</code>],
  [
    /(?<!\w)\*([^*\n]+)\*(?!\w)/,
    (inner) => (
      <strong>
        <Formatted text={inner} />
      </strong>
    ),
  ],
  [
    /(?<!\w)_([^_\n]+)_(?!\w)/,
    (inner) => (
      <em>
        <Formatted text={inner} />
      </em>
    ),
  ],
  [
    /(?<!\w)~([^~\n]+)~(?!\w)/,
    (inner) => (
      <s>
        <Formatted text={inner} />
      </s>
    ),
  ],
]

/** *bold*, _italic_, ~struck~ and ```code```, as phones show them. */
function Formatted({ text }: { readonly text: string }) {
  for (const [pattern, show] of formats) {
    const found = pattern.exec(text)
    if (!found) continue
    return (
      <>
        <Formatted text={text.slice(0, found.index)} />
        {show(found[1] ?? '')}
        <Formatted text={text.slice(found.index + found[0].length)} />
      </>
    )
  }
  return <Filled text={text} />
}

/** Highlights variables without an example. */
const Filled = ({ text }: { readonly text: string }) => (
  <>
    {text
      .split(/(\{\{\s*\w+\s*\}\})/)
      .map((piece, index) => (index % 2 === 1 ? <mark key={index}>{piece}</mark> : piece))}
  </>
)
