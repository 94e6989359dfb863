import { useRef } from 'preact/hooks'
import { useRepeat } from './repeat.ts'

const EVERY_MS = 1_000

/**
 * Reads a list again when a topic has news, at most once a second. The news is not merged in, because only
 * the server knows which records match the filters.
 */
export function useFresh(list: { refresh(): Promise<void> }, news: unknown): void {
  const taken = useRef<unknown>(undefined)
  useRepeat(news === undefined ? undefined : EVERY_MS, () => {
    if (taken.current === news) return
    taken.current = news
    return list.refresh()
  })
}
