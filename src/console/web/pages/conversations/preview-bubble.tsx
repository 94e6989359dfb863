import type { MessagePreview } from '../../../../contract/records/message.ts'
import { headerIcons, Icon } from '../../parts/icon.tsx'

/** A preview of what the customer will see. */
export const PreviewBubble = ({ preview }: { readonly preview: MessagePreview | undefined }) => (
  <section class="preview" aria-label="Preview">
    {preview ? (
      <div class="bubble out">
        <div class="bubble-body">
          <Header {...preview} />
          {preview.offer && (
            <small>
              {preview.offer.text} {preview.offer.expiresAt}
            </small>
          )}
          <p>{preview.body}</p>
          {preview.footer && <small>{preview.footer}</small>}
        </div>
        <Buttons buttons={preview.buttons} />
        {preview.cards.map((card, index) => (
          <section key={index} class="bubble-body" aria-label={`Card ${index + 1}`}>
            <Header {...card} />
            {card.body && <p>{card.body}</p>}
            <Buttons buttons={card.buttons} />
          </section>
        ))}
      </div>
    ) : (
      <p class="dim">The preview comes in a moment.</p>
    )}
  </section>
)

/** The file of a media header is not shown, only its kind. */
const Header = ({ headerFormat, header }: Pick<MessagePreview, 'headerFormat' | 'header'>) => {
  const icon = headerIcons[headerFormat ?? '']
  return (
    <>
      {icon && (
        <span class="header-file">
          <Icon name={icon} />
        </span>
      )}
      {(!icon || headerFormat === 'LOCATION') && header && <strong>{header}</strong>}
    </>
  )
}

const Buttons = ({ buttons }: Pick<MessagePreview, 'buttons'>) =>
  buttons.length > 0 ? (
    <ul class="preview-buttons">
      {buttons.map(({ text, url, phoneNumber }, index) => (
        <li key={index}>
          {text}
          {(url ?? phoneNumber) && <small>{url ?? phoneNumber}</small>}
        </li>
      ))}
    </ul>
  ) : null
