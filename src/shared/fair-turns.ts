// Limits concurrency and is fair between groups: waiting work starts round-robin, one per group.

export interface FairTurns {
  /** Runs `work` when a slot is free and its group is next. */
  run<T>(group: string, work: () => Promise<T>): Promise<T>
  readonly waiting: number
}

export function fairTurns(atOnce: number): FairTurns {
  // In the order in which groups are served. A served group moves to the end.
  const groups = new Map<string, (() => void)[]>()
  let running = 0

  function start(): void {
    const [next] = groups
    if (next === undefined || running >= atOnce) return
    const [group, line] = next
    groups.delete(group)
    const begin = line.shift()
    if (line.length > 0) groups.set(group, line)
    running += 1
    begin?.()
  }

  const turnOf = (group: string): Promise<void> =>
    new Promise((begin) => {
      const line = groups.get(group)
      if (line) line.push(begin)
      else groups.set(group, [begin])
      start()
    })

  return {
    async run(group, work) {
      await turnOf(group)
      try {
        return await work()
      } finally {
        running -= 1
        start()
      }
    },
    get waiting() {
      let count = 0
      for (const line of groups.values()) count += line.length
      return count
    },
  }
}
