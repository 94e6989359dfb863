// Writes the report of a result as one HTML file that opens from disk.
import { readFileSync, writeFileSync } from 'node:fs'
import type { Result } from '../harness/result.ts'
import { page } from './page.ts'

const styles = ['../../src/web/styles/tokens.css', '../../src/web/styles/base.css', 'report.css']

export function writeReport(result: Result, path: string): void {
  const css = styles.map((file) => readFileSync(new URL(file, import.meta.url), 'utf8')).join('\n')
  writeFileSync(path, page(result, { css }))
}
