// Limits the requests that one process has with the provider at once. Waiting workspaces are served
// round-robin, so a workspace with a hundred campaigns gets no more slots than one with a single campaign.

export interface SendSlots {
  /** Resolves with 1 to `want` slots, or with 0 when the signal is aborted. */
  take(workspaceId: string, want: number, signal: AbortSignal): Promise<number>
  release(count: number): void
}

interface Waiting {
  readonly want: number
  readonly grant: (count: number) => void
}

export function createSendSlots(total: number): SendSlots {
  let free = total
  // In the order in which workspaces are served. A served workspace moves to the end.
  const lines = new Map<string, Waiting[]>()

  function serve(): void {
    while (free > 0) {
      const [next] = lines
      if (!next) return
      const [workspaceId, line] = next
      const share = Math.max(1, Math.floor(free / lines.size))
      lines.delete(workspaceId)
      const first = line.shift()
      if (line.length > 0) lines.set(workspaceId, line)
      if (!first) continue
      const count = Math.min(first.want, share)
      free -= count
      first.grant(count)
    }
  }

  function leave(workspaceId: string, waiting: Waiting): void {
    const line = lines.get(workspaceId)?.filter((other) => other !== waiting) ?? []
    if (line.length > 0) lines.set(workspaceId, line)
    else lines.delete(workspaceId)
    waiting.grant(0)
  }

  return {
    take: (workspaceId, want, signal) =>
      new Promise((resolve) => {
        if (signal.aborted || want < 1) return resolve(0)
        const onAbort = () => leave(workspaceId, waiting)
        const waiting: Waiting = {
          want,
          grant(count) {
            signal.removeEventListener('abort', onAbort)
            resolve(count)
          },
        }
        signal.addEventListener('abort', onAbort, { once: true })
        const line = lines.get(workspaceId)
        if (line) line.push(waiting)
        else lines.set(workspaceId, [waiting])
        serve()
      }),
    release(count) {
      free += count
      serve()
    },
  }
}
