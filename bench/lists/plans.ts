// Gets the query plans of Postgres for the statements of a reader.
import { connectPool, type Pool, type PoolOptions } from '../../src/platform/postgres/sql.ts'

export interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Parent Relationship'?: string
  readonly Plans?: readonly PlanNode[]
}

interface Statement {
  readonly text: string
  readonly parameters: readonly unknown[]
}

/** Runs `work` on a connection of its own, see `plansIn`. */
export async function plansOf(
  url: string,
  work: (sql: Pool) => Promise<unknown>,
  options: Partial<PoolOptions> = {},
): Promise<PlanNode[]> {
  const sql = connectPool({ url, max: 1, name: 'bench-plans', statementTimeoutMs: 60_000, ...options })
  try {
    return await plansIn(sql, work)
  } finally {
    await sql.end()
  }
}

/**
 * Two plans for each statement of `work`: for its values, and for any values. Nothing else may use the pool meanwhile. One
 * connection for many works costs less: each first reads the catalog.
 */
export async function plansIn(sql: Pool, work: (sql: Pool) => Promise<unknown>): Promise<PlanNode[]> {
  const statements: Statement[] = []
  await sql`select 1`
  // The driver reads the option `debug` for every statement.
  Object.assign(sql.options, {
    debug: (_id: number, text: string, parameters: readonly unknown[]) =>
      statements.push({ text, parameters }),
  })
  await work(sql).finally(() => Object.assign(sql.options, { debug: false }))
  const plans: PlanNode[] = []
  for (const { text, parameters } of statements.filter(isPlanned)) {
    plans.push(planIn(await sql.unsafe(`explain (format json) ${text}`, parameters as never)))
    plans.push(planIn(await sql.unsafe(`explain (format json, generic_plan) ${text}`).simple()))
  }
  return plans
}

// Each row has one column. Take its value without the name, because the pool's transform changes the name.
function planIn(rows: readonly object[]): PlanNode {
  const [explained] = rows.flatMap((row) => Object.values(row)) as readonly (readonly [
    { readonly Plan: PlanNode },
  ])[]
  if (!explained) throw new Error('Postgres explained nothing')
  return explained[0].Plan
}

/** Not those that begin and end a transaction. */
const isPlanned = ({ text }: Statement): boolean => /^[\s(]*(select|with|insert|update|delete)\b/i.test(text)

/** Those of the given tables that the plan reads with a sequential scan. */
export const scannedWhole = (plan: PlanNode, tables: readonly string[]): string[] => [
  ...(plan['Node Type'] === 'Seq Scan' && tables.includes(plan['Relation Name'] ?? '')
    ? [plan['Relation Name'] ?? '']
    : []),
  ...(plan.Plans ?? []).flatMap((inner) => scannedWhole(inner, tables)),
]

/**
 * Unique indexes of which a filter finds at most one row, or one for each number of the workspace, and calls that are
 * live now: sorting them costs nothing.
 */
const ofFewRows = [
  ...['messages_idempotency', 'messages_provider_message_id_key', 'conversations_contact_number'],
  'calls_live',
]

/** The rows of a page, from an order that Postgres cannot know to be that of the list. */
const isOfPage = (plan: PlanNode): boolean =>
  plan['Node Type'] === 'Limit' ||
  (plan['Node Type'] === 'Subquery Scan' && (plan.Plans ?? []).every(isOfPage))

/** Nothing else is below the node, apart from what is looked up once before it. */
function readsFewRows(plan: PlanNode): boolean {
  if (isOfPage(plan)) return true
  if (plan['Index Name'] !== undefined) return ofFewRows.includes(plan['Index Name'])
  const inner = (plan.Plans ?? []).filter((one) => one['Parent Relationship'] !== 'InitPlan')
  return inner.length > 0 && inner.every(readsFewRows)
}

/** Whether the plan sorts to find the first rows: such a plan reads all matching rows. */
export const sortsToLimit = (plan: PlanNode, isLimited = false): boolean =>
  (isLimited && plan['Node Type'] === 'Sort' && !readsFewRows(plan)) ||
  (plan.Plans ?? []).some((inner) => sortsToLimit(inner, isLimited || plan['Node Type'] === 'Limit'))

/** The indexes that a plan reads. */
export const indexesOf = (plan: PlanNode): string[] => [
  ...(plan['Index Name'] === undefined ? [] : [plan['Index Name']]),
  ...(plan.Plans ?? []).flatMap(indexesOf),
]
