// The delivery log with live updates. While the operator has scrolled down or reads one delivery, new rows
// are kept back, but known rows still change in place.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { DeliveryRecord } from '../../../../contract/records/console.ts'
import { useFresh } from '../../core/fresh.ts'
import { useTopic } from '../../core/live.ts'
import type { List } from '../../core/load.ts'

const NEAR_TOP = 80

interface Tail {
  readonly list: List<DeliveryRecord>
  /** How many new rows are kept back. */
  readonly waiting: number
}

export function useTail(
  list: List<DeliveryRecord>,
  { isLive, isReading }: { readonly isLive: boolean; readonly isReading: boolean },
): Tail {
  useFresh(list, useTopic<object>(isLive ? 'deliveries' : undefined))
  const isScrolled = useScrolled()
  const newest = useRef<string>(undefined)
  const { rows } = list
  const isHeld = isLive && (isReading || isScrolled)
  // Ids sort by creation time.
  const shown = isHeld ? rows?.filter(({ id }) => newest.current === undefined || id <= newest.current) : rows
  useEffect(() => {
    if (!isHeld || newest.current === undefined) newest.current = rows?.[0]?.id
  })
  return { list: { ...list, rows: shown }, waiting: (rows?.length ?? 0) - (shown?.length ?? 0) }
}

export const toTop = (): void => document.getElementById('content')?.scrollTo(0, 0)

function useScrolled(): boolean {
  const [isScrolled, setScrolled] = useState(false)
  useEffect(() => {
    const content = document.getElementById('content')
    const onScroll = () => setScrolled((content?.scrollTop ?? 0) > NEAR_TOP)
    content?.addEventListener('scroll', onScroll, { passive: true })
    return () => content?.removeEventListener('scroll', onScroll)
  }, [])
  return isScrolled
}
