// Every page of the repository.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Page {
  /** From the root. */
  readonly path: string
  readonly text: string
}

const root = fileURLToPath(new URL('../../', import.meta.url))
const left = new Set(['node_modules', '.git', '.data', 'dist'])

const namesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))

export const readPages = (): Page[] =>
  readdirSync(root, { withFileTypes: true })
    .filter(({ name }) => !left.has(name))
    .flatMap((entry) => (entry.isDirectory() ? namesIn(entry.name) : [entry.name]))
    .filter((path) => path.endsWith('.md') && !path.includes('node_modules'))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
