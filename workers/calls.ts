// Calls whose owner's timer did not see to them: the owner is gone, or nobody has loaded them since.
import type { CallId } from '../src/shared/ids.ts'

export interface CallWork {
  readonly calls: { wakeDue(overdueMs: number, limit: number): Promise<CallId[]> }
  readonly router: { tell(kind: 'call', id: string, message: { readonly type: 'wake' }): Promise<unknown> }
}

/** Past this a wake-up is overdue (architecture 3.7). */
const overdueMs = 2_000
const maxCalls = 500

/** True where as many were due as fit in one round. */
export async function wakeOverdueCalls({ calls, router }: CallWork): Promise<boolean> {
  const due = await calls.wakeDue(overdueMs, maxCalls)
  await Promise.all(due.map((id) => router.tell('call', id, { type: 'wake' })))
  return due.length === maxCalls
}
