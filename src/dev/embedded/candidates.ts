/** One possible source. `find` throws an error with the reason when the source does not work. */
export type Candidate<T> = Readonly<{ name: string; find(): T | Promise<T> }>

export type Search<T> = Readonly<{
  what: string
  candidates: readonly Candidate<T>[]
  /** What the user can do when no candidate works. */
  remedy: string
  /** Called for each candidate that does not work, with the reason. */
  onSkip?: ((line: string) => void) | undefined
}>

/** The first candidate that works. Throws an error that lists each one, why it failed, and the remedy. */
export async function firstWorking<T>({ what, candidates, remedy, onSkip }: Search<T>): Promise<T> {
  const failures: string[] = []
  for (const { name, find } of candidates) {
    try {
      return await find()
    } catch (error) {
      const failure = `${name}: ${reasonOf(error)}`
      failures.push(`  ${failure}`)
      onSkip?.(failure)
    }
  }
  throw new Error(`${what}: none of these works\n${failures.join('\n')}\n${remedy}`)
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { code, stderr = '' } = error as NodeJS.ErrnoException & { stderr?: string | Buffer }
  if (code === 'ENOENT') return 'not found'
  const [reason = ''] = (String(stderr).trim() || error.message).split('\n')
  return reason
}
