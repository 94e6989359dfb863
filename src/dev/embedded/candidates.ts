/** One place where something may be had; `find` throws with the reason why it cannot. */
export type Candidate<T> = Readonly<{ name: string; find(): T | Promise<T> }>

/** The first candidate that works. Throws an error that lists each one, why it failed, and the remedy. */
export async function firstWorking<T>(
  what: string,
  candidates: readonly Candidate<T>[],
  remedy: string,
): Promise<T> {
  const failures: string[] = []
  for (const { name, find } of candidates) {
    try {
      return await find()
    } catch (error) {
      failures.push(`  ${name}: ${reasonOf(error)}`)
    }
  }
  throw new Error(`${what}: none of these works\n${failures.join('\n')}\n${remedy}`)
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, stderr } = error as NodeJS.ErrnoException & { stderr?: string }
  if (code === 'ENOENT') return 'not found'
  const lines = (stderr?.trim() || error.message).split('\n')
  return lines.slice(0, 2).join('; ')
}
