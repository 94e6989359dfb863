// Text from outside in a form that every store takes.

// Node 20 has isWellFormed, but the es2023 types do not.
const { isWellFormed } = String.prototype as unknown as { isWellFormed(this: string): boolean }

/** Postgres cannot store NUL or a lone surrogate, and a refused write would be tried again for days. */
export const isStorable = (text: string): boolean => !text.includes('\0') && isWellFormed.call(text)

export const storable = (text: string): string =>
  isStorable(text) ? text : text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\uFFFD')

/** The same, cut to a length. */
export const storableStart = (text: string, maxLength: number): string => storable(text.slice(0, maxLength))
