// The header that console and handsets have in common with the documentation, which has no scripts: see
// `product-bar.ts` one folder up for its form there.
import type { ComponentChildren } from 'preact'

export interface ProductLink {
  readonly href: string
  readonly label: string
  readonly isHere?: boolean
}

const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" />
    <path d="M9 10h5c6 0 3 12 9 12" />
    <circle cx="9" cy="22" r="2" />
    <circle cx="23" cy="10" r="2" />
  </svg>
)

export const ProductBar = ({
  home,
  links,
  start,
  children,
}: {
  /** Where the mark leads. */
  readonly home: string
  readonly links: readonly ProductLink[]
  /** Before the mark. */
  readonly start?: ComponentChildren
  /** What only this page has in its header. */
  readonly children?: ComponentChildren
}) => (
  <header class="product-bar">
    {start}
    <a class="product-name" href={home}>
      <Mark />
      <span>Switchboard</span>
    </a>
    <nav class="product-links" aria-label="Switchboard">
      {links.map(({ href, label, isHere }) => (
        <a key={href} href={href} aria-current={isHere ? 'true' : undefined}>
          {label}
        </a>
      ))}
    </nav>
    {children}
  </header>
)
