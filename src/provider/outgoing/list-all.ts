// Reads a list page by page. Follows the cursor, never the `next` URL: it could send the token elsewhere.
import * as v from 'valibot'
import type { ProviderAccount, ProviderError, ProviderResult } from '../../contract/provider.ts'
import type { Ask } from './ask.ts'

interface List<T> {
  readonly operation: string
  readonly path: readonly string[]
  readonly fields: string
  readonly element: v.GenericSchema<unknown, T>
}

const PAGE_SIZE = 100
// A business account has at most 6,000 templates, each in any number of languages.
const MAX_PAGES = 200

const cursor = v.fallback(v.nullish(v.string(), null), null)

const Page = v.object({
  data: v.array(v.unknown()),
  paging: v.fallback(
    v.object({ next: cursor, cursors: v.fallback(v.object({ after: cursor }), { after: null }) }),
    { next: null, cursors: { after: null } },
  ),
})

export interface Listed<T> {
  /** Without those that lack a required field, such as a template without a name. */
  readonly elements: readonly T[]
  /** False where an element was left out, or a page told of a next one and not how to get it. */
  readonly isWhole: boolean
}

export async function listAll<T>(
  ask: Ask,
  account: ProviderAccount,
  list: List<T>,
): Promise<ProviderResult<Listed<T>>> {
  const elements: T[] = []
  let told = 0
  let after: string | null = null
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer: ProviderResult<v.InferOutput<typeof Page>> = await ask(account, {
      operation: list.operation,
      pool: 'messages',
      method: 'GET',
      path: list.path,
      query: { fields: list.fields, limit: String(PAGE_SIZE), ...(after !== null && { after }) },
      schema: Page,
    })
    if (answer.type !== 'ok') return answer
    const { data, paging }: v.InferOutput<typeof Page> = answer.value
    elements.push(...elementsOf(data, list.element))
    told += data.length
    after = paging.next === null ? null : paging.cursors.after
    const isWhole = paging.next === null && told === elements.length
    if (after === null) return { type: 'ok', value: { elements, isWhole } }
  }
  return { type: 'refused', error: endless }
}

const elementsOf = <T>(data: readonly unknown[], schema: v.GenericSchema<unknown, T>): T[] =>
  data.flatMap((element) => {
    const parsed = v.safeParse(schema, element)
    return parsed.success ? [parsed.output] : []
  })

const endless: ProviderError = {
  code: 'LIST_TOO_LONG',
  title: `The list of the provider has more than ${MAX_PAGES * PAGE_SIZE} entries`,
  details: null,
  httpStatus: null,
  class: 'permanent',
  retryAfterMs: null,
}
