// Limits on text count code points, as `maxLength` of JSON Schema does. `length` counts an emoji twice.

/** True when the text has more code points than `most`. Counts only as far as it must. */
export function isLongerThan(text: string, most: number): boolean {
  if (text.length <= most) return false
  if (text.length > 2 * most) return true
  let count = 0
  for (const _ of text) count += 1
  return count > most
}
