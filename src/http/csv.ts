// Writing CSV as RFC 4180 has it: commas, quotes, UTF-8; lines end in CRLF.

/**
 * One line with its end. A text that a spreadsheet would take for a formula gets an apostrophe in front, which makes it a
 * text there.
 */
export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

const formula = /^[=+\-@\t\r\n]/
const special = /[",\r\n]|^\s|\s$/

function csvCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return special.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
