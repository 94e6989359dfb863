// Tells the list at once of what was done in the thread, before it looks again by itself.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

const news = signal(0)

export const tellNews = (): void => {
  news.value += 1
}

export function useNews(refresh: () => unknown): void {
  const count = news.value
  useEffect(() => {
    if (count > 0) void refresh()
  }, [count])
}
