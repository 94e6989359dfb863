// Stroke icons of 16 pixels. They are hidden from screen readers: the label of the button has the meaning.

const paths = {
  call: 'M4 2.5h2l1 3-1.5 1.200a8 8 0 0 0 3.800 3.800L10.5 9l3 1v2c0 1-.8 1.5-1.600 1.400A11 11 0 0 1 2.600 4.100C2.5 3.300 3 2.5 4 2.5z',
  hangup: 'M1.5 9.5c0-4.600 13-4.600 13 0v1.5l-3.200-.8V8.200a12 12 0 0 0-6.600 0v2L1.5 11z',
  close: 'M4 4l8 8M12 4l-8 8',
  send: 'M2.5 8h10M8.5 4l4 4-4 4',
  picture: 'M2.5 3.5h11v9h-11zM2.5 11l3-3 2.5 2.5L10.5 8l3 3M5.600 6v.1',
  smile: 'M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM5.5 9.5a3 3 0 0 0 5 0M6 6.200v.1M10 6.200v.1',
  pen: 'M3 13l.8-3L10.500 3.300l2.200 2.200L6 12.200z',
  plus: 'M8 3v10M3 8h10',
  chevron: 'M6 3.5 10.5 8 6 12.5',
  out: 'M3 8h9M8.500 4.500 12 8l-3.500 3.500',
  in: 'M13 8H4M7.500 4.500 4 8l3.500 3.500',
  warning: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.5M8 11.800v.1',
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    <path d={paths[name]} />
  </svg>
)

export const IconButton = ({
  label,
  icon,
  look = 'quiet',
  onClick,
  ...rest
}: {
  readonly label: string
  readonly icon: IconName
  readonly look?: string
  readonly disabled?: boolean
  readonly 'aria-expanded'?: boolean
  onClick(): void
}) => (
  <button
    type="button"
    {...rest}
    class={`button icon-only ${look}`}
    aria-label={label}
    title={label}
    onClick={onClick}
  >
    <Icon name={icon} />
  </button>
)

/** One tick for sent, two for delivered, coloured ones for read. */
export const Ticks = ({ count, isRead }: { readonly count: 0 | 1 | 2; readonly isRead: boolean }) =>
  count === 0 ? null : (
    <svg class={isRead ? 'ticks read' : 'ticks'} viewBox="0 0 20 12" aria-hidden="true" focusable="false">
      <path d="M2 6.5 5.5 10 12 2.5" />
      {count > 1 && <path d="M9.5 9.5 10 10 17 2.5" />}
    </svg>
  )
