// Composes a statement from parts without the driver. Each of the driver's fragments is a promise with what belongs to a
// running statement; of a list there are dozens, which cost as much as its records. A part is its texts and its values.
import type { Sql } from './sql.ts'

class Part {
  readonly texts: readonly string[]
  readonly values: readonly unknown[]

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.texts = texts
    this.values = values
  }

  /** Appends the text to `written`, and the values to `given`. */
  write(written: string, given: unknown[]): string {
    let text = written + this.texts[0]
    for (const [at, value] of this.values.entries()) {
      if (value instanceof Part) text = value.write(text, given)
      else text += `$${given.push(value)}`
      text += this.texts[at + 1]
    }
    return text
  }
}

const compose = (given: TemplateStringsArray | string, ...values: readonly unknown[]): Part =>
  typeof given === 'string' ? new Part([identifier(given)], []) : new Part(given, values)

const identifier = (name: string): string => `"${name.replaceAll('"', '""').replaceAll('.', '"."')}"`

/**
 * In the place of `sql` where a statement is put together: takes parts, values, identifiers and `unsafe`, and nothing that
 * asks the database. `statementOf` ends it.
 */
export const parts = Object.assign(compose, {
  unsafe: (text: string) => new Part([text], []),
}) as unknown as Sql

/** The statement of a part that `parts` made; undefined for a fragment of the driver. */
export function statementOf(
  part: unknown,
): { readonly text: string; readonly values: unknown[] } | undefined {
  if (!(part instanceof Part)) return undefined
  const values: unknown[] = []
  return { text: part.write('', values), values }
}
