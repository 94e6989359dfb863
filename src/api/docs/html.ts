// HTML as text, always escaped, and the little Markdown that the document uses.

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

export const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => entities[letter] ?? '')

/** `code` and [links](to). */
export const inline = (text: string): string =>
  escaped(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\[([^\]]+)\]\((https:\/\/[^)]+|#[^)]+)\)/g, '<a href="$2">$1</a>')

/** Paragraphs, lists of `- ` and fenced blocks, with an empty line between. */
export function markdown(text: string): string {
  return text
    .split(/\n\n+/)
    .map((part) => {
      if (part.startsWith('```')) return codeBlock(part.replace(/^```\n|\n```$/g, ''))
      if (!part.startsWith('- ')) return `<p>${inline(part)}</p>`
      const items = part.split('\n').map((line) => `<li>${inline(line.slice(2))}</li>`)
      return `<ul>${items.join('')}</ul>`
    })
    .join('\n')
}

// A block that scrolls sideways must be reachable by keyboard.
export const codeBlock = (code: string): string => `<pre tabindex="0"><code>${escaped(code)}</code></pre>`

export const jsonBlock = (value: unknown): string => codeBlock(JSON.stringify(value, null, 2))

/** `caption` is for those who do not see the heading above. */
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
