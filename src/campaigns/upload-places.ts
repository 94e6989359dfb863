// How many streams of recipients a process reads at once: each holds a batch or two in memory.
import { AppError } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import type { WorkspaceId } from '../shared/ids.ts'

export function uploadPlaces() {
  const taken = new Map<WorkspaceId, number>()
  let all = 0
  const change = (workspaceId: WorkspaceId, by: 1 | -1): void => {
    const count = (taken.get(workspaceId) ?? 0) + by
    all += by
    if (count === 0) taken.delete(workspaceId)
    else taken.set(workspaceId, count)
  }
  return (workspaceId: WorkspaceId) => {
    if ((taken.get(workspaceId) ?? 0) >= limits.uploadsAtOncePerWorkspace)
      throw new AppError(
        'RATE_LIMITED',
        `${limits.uploadsAtOncePerWorkspace} uploads of this workspace are on their way; wait until one is over`,
        { retryAfterSeconds: 2 },
      )
    if (all >= limits.uploadsAtOnce)
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
