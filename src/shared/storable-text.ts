// Text from outside in a form that every store takes.

/** Postgres cannot store NUL or a lone surrogate, and a refused write would be tried again for days. */
export const storable = (text: string): string =>
  text.replaceAll('\0', '').replace(/\p{Surrogate}/gu, '\uFFFD')

/** The same, cut to a length. */
export const storableStart = (text: string, maxLength: number): string => storable(text.slice(0, maxLength))
