import type { ComponentChildren } from 'preact'
import { ProductBar, type ProductLink } from '../../../web/browser/product-bar.tsx'
import { ROOT } from '../core/router.ts'
import { me } from '../core/session.ts'

/** The header of all our pages, as the console has it. */
export function ConsoleBar({
  start,
  children,
}: {
  /** Before the mark. */
  readonly start?: ComponentChildren
  readonly children?: ComponentChildren
}) {
  return (
    <ProductBar home="/" start={start} links={productLinks()}>
      {children}
    </ProductBar>
  )
}

/** The parts of the product. */
export function productLinks(): ProductLink[] {
  const handsets = me.value?.handsetsUrl
  return [
    { href: ROOT, label: 'Console', isHere: true },
    { href: '/docs', label: 'Docs' },
    ...(handsets ? [{ href: handsets, label: 'Handsets' }] : []),
  ]
}

/** A page without the navigation, such as the sign-in. */
export const Alone = ({ children }: { readonly children: ComponentChildren }) => (
  <div class="alone-frame">
    <ConsoleBar />
    <main class="alone">{children}</main>
  </div>
)
