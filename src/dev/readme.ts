// npm run readme: regenerates the tables of src/platform/README.md from the settings and the error catalog.
import { readFileSync, writeFileSync } from 'node:fs'
import { errorCatalog } from '../contract/errors.ts'
import { settingsSchema } from '../platform/config/settings.ts'

const page = new URL('../platform/README.md', import.meta.url)

// Markdown would read `<key>` as an HTML tag and `|` as the end of a table cell.
const plain = (text: string): string => text.replace(/[<|]/g, '\\$&')
const code = (text: string | undefined): string => (text ? `\`${text}\`` : '')

const tableOf = (head: string, rows: readonly (readonly string[])[]): string =>
  [head, head.replace(/[^|]+/g, '---'), ...rows.map((cells) => `| ${cells.join(' | ')} |`)].join('\n')

const sections: Readonly<Record<string, string>> = {
  settings: tableOf(
    '| name | default | meaning |',
    Object.entries(settingsSchema).map(([name, row]) => [
      code(name),
      code('default' in row ? row.default : undefined),
      plain(row.meaning),
    ]),
  ),
  errors: tableOf(
    '| code | status | meaning |',
    Object.entries(errorCatalog).map(([name, row]) => [code(name), String(row.status), plain(row.meaning)]),
  ),
}

let text = readFileSync(page, 'utf8')
for (const [name, table] of Object.entries(sections)) {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [before, rest] = text.split(start)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`src/platform/README.md lacks ${start} and ${end}`)
  text = `${before}${start}\n${table}\n${end}${after}`
}
writeFileSync(page, text)
