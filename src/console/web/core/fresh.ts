import { useState } from 'preact/hooks'
import { createPendingNews } from './pending-news.ts'
import { useRepeat } from './repeat.ts'

const EVERY_MS = 1_000

/**
 * Reads a list again when a topic has news, at most once a second, until it is read. The news is not merged in, because only
 * the server knows which records match the filters.
 */
export function useFresh(list: { refresh(): Promise<boolean> }, news: unknown): void {
  const [pending] = useState(createPendingNews)
  useRepeat(news === undefined ? undefined : EVERY_MS, async () => {
    if (!pending.isDue(news)) return
    if (await list.refresh()) pending.took(news)
    else pending.failed()
  })
}
