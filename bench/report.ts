// npm run bench:report: the plots of a result, as one HTML file beside it.
import { resolve } from 'node:path'
import { say } from './harness/closing.ts'
import { readResult } from './harness/result.ts'
import { writeReport } from './report/write-report.ts'

const [source, target = source?.replace(/(\.json)?$/, '.html')] = process.argv.slice(2)
if (!source || !target || source.startsWith('-')) {
  say('npm run bench:report -- result.json [report.html]')
  process.exitCode = 2
} else {
  writeReport(readResult(source), target)
  say(`written to ${resolve(target)}`)
}
