// `?new` in the address of a list opens its form, so that a link can lead to it.
import { useEffect } from 'preact/hooks'
import { place, setQuery } from './router.ts'

const NEW = 'new'

export function useNew(open: () => void, mayCreate: boolean): void {
  const isAsked = place.value.query.has(NEW)
  useEffect(() => {
    if (!isAsked) return
    // At once, so that the way back does not open it again.
    setQuery({ [NEW]: undefined })
    if (mayCreate) open()
  }, [isAsked])
}
