// A template as the customer's phone shows it.
import type { ComponentChildren } from 'preact'
import type { TemplatePreview } from '../../../../contract/records/console.ts'
import { headerIcons, Icon, type IconName } from '../../parts/icon.tsx'

const buttonIcons: Readonly<Record<string, IconName>> = {
  QUICK_REPLY: 'reply',
  URL: 'open',
  PHONE_NUMBER: 'calls',
  COPY_CODE: 'copy',
  OTP: 'copy',
  VOICE_CALL: 'calls',
  CALL_PERMISSION_REQUEST: 'calls',
  REQUEST_CONTACT_INFO: 'account',
}

export function Bubble({
  preview,
  label = 'What the customer sees',
}: {
  readonly preview: TemplatePreview | undefined
  readonly label?: string
}) {
  const { body, footer, buttons, offer, cards } = preview ?? nothing
  return (
    <figure class="phone" aria-label={label}>
      <div class="phone-card">
        <Header {...(preview ?? nothing)} />
        {offer && (
          <p class="phone-offer">
            <Icon name="clock" /> <Filled text={offer.text} />
            {offer.expiresAt && <small> until {offer.expiresAt}</small>}
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
        <Buttons buttons={buttons} />
      </div>
      {cards.map((card, index) => (
        <section key={index} class="phone-card" aria-label={`Card ${index + 1}`}>
          <Header {...card} />
          {card.body && (
            <p class="phone-body">
              <Formatted text={card.body} />
            </p>
          )}
          <Buttons buttons={card.buttons} />
        </section>
      ))}
    </figure>
  )
}

const nothing: TemplatePreview = {
  ...{ headerFormat: null, header: null, body: '', footer: null },
  ...{ buttons: [], offer: null, cards: [] },
}

function Header({ headerFormat, header }: Pick<TemplatePreview, 'headerFormat' | 'header'>) {
  const icon = headerIcons[headerFormat ?? '']
  const isShown = header && (!icon || headerFormat === 'LOCATION')
  return (
    <>
      {icon && (
        <div class="phone-media" role="img" aria-label={headerFormat?.toLowerCase()}>
          <Icon name={icon} />
        </div>
      )}
      {isShown && (
        <p class="phone-header">
          <Filled text={header} />
        </p>
      )}
    </>
  )
}

const Buttons = ({ buttons }: Pick<TemplatePreview, 'buttons'>) => (
  <>
    {buttons.map(({ type, text, url, phoneNumber }, index) => (
      <div key={index} class="phone-button" title={url ?? phoneNumber}>
        <Icon name={buttonIcons[type] ?? 'open'} />
        <Filled text={text || '…'} />
      </div>
    ))}
  </>
)

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
