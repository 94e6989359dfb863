// What opens below a button, over the page: menus and the editors of filters. The browser's popover closes it on
// Escape and on a click outside, and returns the focus.
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'

const GAP = 4
const EDGE = 8

export function usePopover({ isAtEnd = false, onOpen }: { isAtEnd?: boolean; onOpen(): void }) {
  const id = useId()
  const opener = useRef<HTMLButtonElement>(null)
  const surface = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const place = () => {
    if (opener.current && surface.current) placeBelow(opener.current, surface.current, isAtEnd)
  }
  const open = () => setOpen(true)
  const close = () => {
    surface.current?.hidePopover()
    opener.current?.focus()
  }
  // What it shows is there only while it is open, so it appears after the rendering.
  useLayoutEffect(() => {
    if (!isOpen) return
    // Not every browser focuses a button that is clicked, and the focus returns to where it was.
    opener.current?.focus()
    surface.current?.showPopover()
    place()
    onOpen()
    addEventListener('scroll', place, { capture: true, passive: true })
    addEventListener('resize', place)
    return () => {
      removeEventListener('scroll', place, { capture: true })
      removeEventListener('resize', place)
    }
  }, [isOpen])
  return {
    ...{ isOpen, open, close, opener, surface },
    openerProps: {
      // With this the browser does not close it on the press of the button that is to close it.
      popovertarget: id,
      'aria-expanded': isOpen,
      onClick: (event: MouseEvent) => {
        event.preventDefault()
        if (isOpen) close()
        else open()
      },
    },
    surfaceProps: {
      ...{ id, ref: surface, popover: 'auto' as const },
      onBeforeToggle: ({ newState }: { readonly newState: string }) => {
        if (newState === 'closed') setOpen(false)
      },
    },
  }
}

function placeBelow(opener: HTMLElement, surface: HTMLElement, isAtEnd: boolean): void {
  const { top, bottom, left, right } = opener.getBoundingClientRect()
  const { clientWidth, clientHeight } = document.documentElement
  const above = top - GAP - EDGE
  const below = clientHeight - bottom - GAP - EDGE
  const isAbove = surface.scrollHeight > below && above > below
  surface.style.maxHeight = `${Math.max(isAbove ? above : below, 120)}px`
  const x = isAtEnd ? right - surface.offsetWidth : left
  surface.style.left = `${Math.max(EDGE, Math.min(x, clientWidth - surface.offsetWidth - EDGE))}px`
  surface.style.top = `${isAbove ? Math.max(EDGE, top - GAP - surface.offsetHeight) : bottom + GAP}px`
}
