// Limits how many uploads a process reads at once, because each holds part or all of its body in memory. A
// limit per workspace keeps one customer from taking every place.
import { AppError } from '../../contract/errors.ts'
import type { WorkspaceId } from '../../shared/ids.ts'

export interface PlaceLimits {
  readonly perWorkspace: number
  readonly all: number
}

export function uploadPlaces(limits: PlaceLimits) {
  const taken = new Map<WorkspaceId, number>()
  let all = 0
  const change = (workspaceId: WorkspaceId, by: 1 | -1): void => {
    const count = (taken.get(workspaceId) ?? 0) + by
    all += by
    if (count === 0) taken.delete(workspaceId)
    else taken.set(workspaceId, count)
  }
  return (workspaceId: WorkspaceId) => {
    if ((taken.get(workspaceId) ?? 0) >= limits.perWorkspace)
      throw new AppError(
        'RATE_LIMITED',
        `${limits.perWorkspace} uploads of this workspace are on their way; wait until one is over`,
        { retryAfterSeconds: 2 },
      )
    if (all >= limits.all)
      throw new AppError('OVERLOADED', 'this process takes no more uploads now; try again shortly', {
        retryAfterSeconds: 2,
      })
    change(workspaceId, 1)
    let isIn = true
    return {
      leave() {
        if (isIn) change(workspaceId, -1)
        isIn = false
      },
    }
  }
}
