// npm run readme: writes the tables of README.md anew, from the catalogues that they show.
import { readFileSync, writeFileSync } from 'node:fs'
import { settingsSchema } from '../config/settings.ts'
import { errorCatalog } from '../contract/errors.ts'

const readme = new URL('../../README.md', import.meta.url)

// A page would take `<key>` for a tag and a bar for the end of a cell.
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

let text = readFileSync(readme, 'utf8')
for (const [name, table] of Object.entries(sections)) {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const [before, rest] = text.split(start)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`README.md lacks ${start} and ${end}`)
  text = `${before}${start}\n${table}\n${end}${after}`
}
writeFileSync(readme, text)
