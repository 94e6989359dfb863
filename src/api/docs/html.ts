// Builds escaped HTML.

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => entities[letter] ?? '')

// `tabindex`: a block that scrolls sideways must be reachable by keyboard.
export const codeBlock = (code: string): string => `<pre tabindex="0"><code>${escaped(code)}</code></pre>`

export const jsonBlock = (value: unknown): string => codeBlock(JSON.stringify(value, null, 2))

/** `caption` is the label for screen readers. */
export function table(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  if (rows.length === 0) return ''
  const cells = (row: readonly string[]) =>
    row.map((cell, index) => (index === 0 ? `<th scope="row">${cell}</th>` : `<td>${cell}</td>`)).join('')
  return `<div class="table" tabindex="0" role="group" aria-label="${escaped(caption)}"><table>
<thead><tr>${head.map((cell) => `<th scope="col">${cell}</th>`).join('')}</tr></thead>
<tbody>${rows.map((row) => `<tr>${cells(row)}</tr>`).join('\n')}</tbody></table></div>`
}

export const disclosure = (summary: string, body: string): string =>
  `<details><summary>${summary}</summary>${body}</details>`
