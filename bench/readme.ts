// npm run bench:readme: bench/results/README.md from the results of the last full measurement, or the rows of
// any results as Markdown.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { markdown } from './harness/markdown.ts'
import { readResult, resultPath } from './harness/result.ts'
import { type SpeedResults, sources, speedSection, withSection } from './report/speed-section.ts'

const usage = `npm run bench:readme               prints the tables of bench/results/README.md
npm run bench:readme -- --write    writes it there
npm run bench:readme -- a.json     prints the rows of results as Markdown
The section needs the first of these, and has the others that are there: ${Object.entries(sources)
  .map(([name, command]) => `${name}.json (${command})`)
  .join(', ')}.`

const page = fileURLToPath(new URL('results/README.md', import.meta.url))
const say = (text: string) => process.stdout.write(`${text}\n`)

function namedResults(): SpeedResults {
  const names = Object.keys(sources) as (keyof typeof sources)[]
  const measured = names.filter((name) => name !== 'all' && existsSync(resultPath(name)))
  return {
    ...Object.fromEntries(measured.map((name) => [name, readResult(resultPath(name))])),
    all: readResult(resultPath('all')),
  }
}

try {
  const options = { write: { type: 'boolean', default: false } } as const
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  for (const path of positionals) say(markdown(readResult(path)))
  if (positionals.length === 0) {
    const section = speedSection(namedResults())
    if (values.write) writeFileSync(page, withSection(readFileSync(page, 'utf8'), section))
    else say(section)
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`)
  process.exitCode = 1
}
