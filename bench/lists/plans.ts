// The plans that Postgres makes of the statements of a reader.
import { connectPool, type Pool } from '../../src/store/sql.ts'

export interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly Plans?: readonly PlanNode[]
}

interface Statement {
  readonly text: string
  readonly parameters: readonly unknown[]
}

/** Runs `work` on a connection of its own and answers with the plans of what it ran, for these values and for any. */
export async function plansOf(url: string, work: (sql: Pool) => Promise<unknown>): Promise<PlanNode[]> {
  const statements: Statement[] = []
  const sql = connectPool({ url, max: 1, name: 'bench-plans', statementTimeoutMs: 60_000 })
  try {
    await sql`select 1`
    // The driver reads it for every statement.
    Object.assign(sql.options, {
      debug: (_id: number, text: string, parameters: readonly unknown[]) =>
        statements.push({ text, parameters }),
    })
    await work(sql)
    Object.assign(sql.options, { debug: false })
    const plans: PlanNode[] = []
    for (const { text, parameters } of statements) {
      plans.push(planIn(await sql.unsafe(`explain (format json) ${text}`, parameters as never)))
      plans.push(planIn(await sql.unsafe(`explain (format json, generic_plan) ${text}`).simple()))
    }
    return plans
  } finally {
    await sql.end()
  }
}

// One column, whose name the pool's transform rewrites.
function planIn(rows: readonly object[]): PlanNode {
  const [explained] = rows.flatMap((row) => Object.values(row)) as readonly (readonly [
    { readonly Plan: PlanNode },
  ])[]
  if (!explained) throw new Error('Postgres explained nothing')
  return explained[0].Plan
}

/** Of these tables, those that a plan reads whole. */
export const scannedWhole = (plan: PlanNode, tables: readonly string[]): string[] => [
  ...(plan['Node Type'] === 'Seq Scan' && tables.includes(plan['Relation Name'] ?? '')
    ? [plan['Relation Name'] ?? '']
    : []),
  ...(plan.Plans ?? []).flatMap((inner) => scannedWhole(inner, tables)),
]

/** Whether a plan sorts to find the first rows: then it reads all that fit, however many they are. */
export const sortsToLimit = (plan: PlanNode, isLimited = false): boolean =>
  (isLimited && plan['Node Type'] === 'Sort') ||
  (plan.Plans ?? []).some((inner) => sortsToLimit(inner, isLimited || plan['Node Type'] === 'Limit'))

/** The indexes that a plan reads. */
export const indexesOf = (plan: PlanNode): string[] => [
  ...(plan['Index Name'] === undefined ? [] : [plan['Index Name']]),
  ...(plan.Plans ?? []).flatMap(indexesOf),
]
