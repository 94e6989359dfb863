// npm run bench:readme -- bench/results/bench.json: the rows of results as Markdown, for the page's figures.
import { fileURLToPath } from 'node:url'
import { markdown } from './harness/markdown.ts'
import { readResult } from './harness/result.ts'

const usual = fileURLToPath(new URL('results/bench.json', import.meta.url))
const paths = process.argv.slice(2)
try {
  for (const path of paths.length > 0 ? paths : [usual])
    process.stdout.write(`${markdown(readResult(path))}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
