// Moves every sealed secret to the first key, and counts what could not be moved. Stopping it loses nothing: what
// it has written is sealed by the first key, and the next run passes over it.
import type { SecretBox } from './secret-box.ts'
import { SecretBoxError } from './secret-box.ts'

interface Sealed {
  readonly id: string
  readonly sealed: Buffer
}

export interface ResealPorts<Column> {
  readonly columns: readonly Column[]
  /** In the order of ids, after the given one. */
  list(column: Column, after: string | undefined, limit: number): Promise<readonly Sealed[]>
  /** Leaves alone what was changed meanwhile; returns how many were written. */
  replace(column: Column, secrets: readonly (Sealed & { readonly resealed: Buffer })[]): Promise<number>
}

export interface ResealReport {
  /** All secrets that there are. */
  readonly total: number
  /** Moved to the first key by this run. */
  readonly moved: number
  /** Still sealed by another key: written by a process whose first key is another. */
  readonly left: number
  /** How many no key opens, by the id of the key that sealed them. */
  readonly unopened: ReadonlyMap<string, number>
}

/** Keeps a statement and its row locks short. */
const batchSize = 200

/** The second pass counts what was sealed by another key during the first. */
export async function resealAll<Column>(
  ports: ResealPorts<Column>,
  box: Pick<SecretBox, 'reseal'>,
): Promise<ResealReport> {
  const { moved } = await pass(ports, box, 'move')
  return { ...(await pass(ports, box, 'count')), moved }
}

async function pass<Column>(
  ports: ResealPorts<Column>,
  box: Pick<SecretBox, 'reseal'>,
  mode: 'move' | 'count',
): Promise<ResealReport> {
  const report = { total: 0, moved: 0, left: 0, unopened: new Map<string, number>() }
  for (const column of ports.columns) {
    for (let after: string | undefined; ; ) {
      const batch = await ports.list(column, after, batchSize)
      const elsewhere = batch.flatMap((secret) => {
        const resealed = resealOne(box, secret.sealed, report.unopened)
        return resealed ? [{ ...secret, resealed }] : []
      })
      report.total += batch.length
      report.left += elsewhere.length
      if (mode === 'move' && elsewhere.length > 0) report.moved += await ports.replace(column, elsewhere)
      after = batch.at(-1)?.id
      if (batch.length < batchSize) break
    }
  }
  return report
}

function resealOne(
  box: Pick<SecretBox, 'reseal'>,
  sealed: Buffer,
  unopened: Map<string, number>,
): Buffer | undefined {
  try {
    return box.reseal(sealed)
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error
    const keyId = error.keyId ?? 'none'
    unopened.set(keyId, (unopened.get(keyId) ?? 0) + 1)
    return undefined
  }
}
