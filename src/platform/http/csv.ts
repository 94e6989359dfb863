// Writes CSV (RFC 4180): commas, quotes, UTF-8, and CRLF at the end of each line.

/**
 * One line with its line end. Text that a spreadsheet would read as a formula gets an apostrophe in front,
 * which makes it plain text.
 */
export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

const formula = /^[=+\-@\t\r\n]/
const special = /[",\r\n]|^\s|\s$/

function csvCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return special.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
