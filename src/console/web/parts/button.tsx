import type { ButtonHTMLAttributes, ComponentChildren, Ref } from 'preact'
import { Icon, type IconName } from './icon.tsx'

type Look = 'plain' | 'primary' | 'danger' | 'quiet' | 'link'

interface Props extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon'> {
  readonly look?: Look
  readonly icon?: IconName
  readonly isBusy?: boolean
  readonly children: ComponentChildren
}

/** A busy button ignores clicks, but keeps its width and its focus. */
export function Button({ look = 'plain', icon, isBusy = false, children, onClick, ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      class={`button ${look}`}
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      onClick={(event) => {
        if (isBusy) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </button>
  )
}

interface IconProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon' | 'label'> {
  readonly label: string
  readonly icon: IconName
  readonly buttonRef?: Ref<HTMLButtonElement>
}

export const IconButton = ({ label, icon, buttonRef, ...rest }: IconProps) => (
  <button
    type="button"
    {...rest}
    ref={buttonRef ?? null}
    class="button quiet icon-only"
    aria-label={label}
    title={label}
  >
    <Icon name={icon} />
  </button>
)

/** A link that looks like a button. */
export const LinkButton = ({
  href,
  icon,
  look = 'plain',
  label,
  children,
}: {
  readonly href: string
  readonly icon?: IconName
  readonly look?: Look
  /** Says more than the text, to tell links of one text apart. */
  readonly label?: string
  readonly children: ComponentChildren
}) => (
  <a class={`button ${look}`} href={href} aria-label={label}>
    {icon && <Icon name={icon} />}
    <span>{children}</span>
  </a>
)
