// Wakes calls whose timer did not run: the owner is gone, or no process has loaded the call since.
import type { CallId } from '../../shared/ids.ts'

export interface CallWork {
  readonly calls: { wakeDue(overdueMs: number, limit: number): Promise<CallId[]> }
  readonly router: { tell(kind: 'call', id: string, message: { readonly type: 'wake' }): Promise<unknown> }
}

/** A wake-up is overdue after this time: the timer of a living owner runs earlier. */
const overdueMs = 2_000
const maxCalls = 500

/** True where a full round was due, so more calls may be overdue. */
export async function wakeOverdueCalls({ calls, router }: CallWork): Promise<boolean> {
  const due = await calls.wakeDue(overdueMs, maxCalls)
  await Promise.all(due.map((id) => router.tell('call', id, { type: 'wake' })))
  return due.length === maxCalls
}
