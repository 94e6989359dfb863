// The conversation whose erasure a dialog waits for. It is gone before the erasure is complete, and stays on screen
// until then: the dialog, which belongs to it, has yet to tell.
import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

const waitedFor = signal<string | undefined>(undefined)

export const isWaitedFor = (conversationId: string): boolean => waitedFor.value === conversationId

/** Until the component is gone, or `isWaiting` is false. */
export function useWaitFor(conversationId: string, isWaiting: boolean): void {
  useEffect(() => {
    if (!isWaiting) return
    waitedFor.value = conversationId
    return () => {
      waitedFor.value = undefined
    }
  }, [conversationId, isWaiting])
}
