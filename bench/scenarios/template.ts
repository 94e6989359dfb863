// Text of one form, written once: each unit fills in what is its own.

export type Values = Readonly<Record<string, string>>

/** Stands in the text for the value of this name. */
export const blank = (name: string): string => `{{${name}}}`

export function template(text: string): (values: Values) => string {
  const [start = '', ...parts] = text.split(/\{\{(\w+)\}\}/)
  return (values) => {
    let filled = start
    for (let index = 0; index < parts.length; index += 2)
      filled += (values[parts[index] ?? ''] ?? '') + (parts[index + 1] ?? '')
    return filled
  }
}
