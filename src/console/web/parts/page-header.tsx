import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { hasMoved } from '../core/router.ts'
import { Icon } from './icon.tsx'

/** Starts every page. After a navigation it takes the focus, so that screen readers announce the page. */
export function PageHeader({
  title,
  intro,
  back,
  actions,
}: {
  readonly title: string
  readonly intro?: ComponentChildren
  readonly back?: { readonly href: string; readonly title: string }
  readonly actions?: ComponentChildren
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    document.title = `${title} · Switchboard`
  }, [title])
  useEffect(() => {
    if (hasMoved.peek()) heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <header class="page-header">
      {back && (
        <a class="back" href={back.href}>
          <Icon name="chevron" />
          {back.title}
        </a>
      )}
      <div class="page-title">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions && <div class="page-actions">{actions}</div>}
      </div>
      {intro && <p class="intro">{intro}</p>}
    </header>
  )
}
