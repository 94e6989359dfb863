import type { MessagePreview } from '../../../../contract/records/message.ts'
import { Icon } from '../../parts/icon.tsx'
import { icons, type MediaFormat } from '../../parts/media-field.tsx'

/** A preview of what the customer will see. */
export const PreviewBubble = ({
  preview,
  media,
}: {
  readonly preview: MessagePreview | undefined
  /** The format of a media header. The file itself is not shown. */
  readonly media: MediaFormat | undefined
}) => (
  <section class="preview" aria-label="Preview">
    {preview ? (
      <div class="bubble out">
        <div class="bubble-body">
          {media && (
            <span class="header-file">
              <Icon name={icons[media]} />
            </span>
          )}
          {!media && preview.header && <strong>{preview.header}</strong>}
          <p>{preview.body}</p>
          {preview.footer && <small>{preview.footer}</small>}
        </div>
        {preview.buttons.length > 0 && (
          <ul class="preview-buttons">
            {preview.buttons.map(({ text, url, phoneNumber }, index) => (
              <li key={index}>
                {text}
                {(url ?? phoneNumber) && <small>{url ?? phoneNumber}</small>}
              </li>
            ))}
          </ul>
        )}
      </div>
    ) : (
      <p class="dim">The preview comes in a moment.</p>
    )}
  </section>
)
