// How many rows of a table the statements of some work read.
import assert from 'node:assert/strict'
import type { Pool } from '../../src/platform/postgres/sql.ts'

interface Node {
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly Node[]
}

const nodesOf = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

const readBy = (node: Node): number =>
  (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']

/**
 * For each statement of `work` that contains `text`, the most rows of `table` that one step of its plan reads. Runs those
 * statements a second time.
 */
export async function rowsRead(
  pool: Pool,
  work: () => Promise<unknown>,
  { table, text }: { readonly table: string; readonly text: string },
): Promise<number[]> {
  const statements: { readonly text: string; readonly parameters: readonly unknown[] }[] = []
  // The driver reads this option for every statement.
  Object.assign(pool.options, {
    debug: (_id: number, written: string, parameters: readonly unknown[]) =>
      statements.push({ text: written, parameters }),
  })
  await work()
  Object.assign(pool.options, { debug: false })
  const reads: number[] = []
  for (const one of statements.filter((statement) => statement.text.includes(text))) {
    const [row] = await pool.unsafe<Record<string, [{ Plan: Node }]>[]>(
      `explain (analyze, format json) ${one.text}`,
      one.parameters as never,
    )
    const [explained] = Object.values(row ?? assert.fail())
    const nodes = nodesOf((explained ?? assert.fail())[0].Plan)
    reads.push(Math.max(...nodes.filter((node) => node['Relation Name'] === table).map(readBy)))
  }
  return reads
}
