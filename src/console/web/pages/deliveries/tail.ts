// The delivery log as it grows. While somebody reads further down, or one delivery, nothing is put in above; what is
// known changes in its place all the same.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { DeliveryRecord } from '../../../../contract/records/console.ts'
import { useFresh } from '../../foundation/fresh.ts'
import { useTopic } from '../../foundation/live.ts'
import type { List } from '../../foundation/load.ts'

const NEAR_TOP = 80

interface Tail {
  readonly list: List<DeliveryRecord>
  /** How many are kept back. */
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
  // Ids sort by when they were made.
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
