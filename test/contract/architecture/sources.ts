// The code as the fences see it: every file with the files and packages that it imports, types included.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../../', import.meta.url))

export interface Source {
  readonly path: string
  readonly text: string
  /** Paths from the root, for imports of our own files. */
  readonly ours: readonly string[]
  readonly packages: readonly string[]
}

const importing = /^(?:import|export)\s[^'"()=;]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\(\s*'([^']+)'/gm

export function toSource(path: string, text: string): Source {
  const names = [...text.matchAll(importing)].map((match) => match[1] ?? match[2] ?? match[3] ?? '')
  const isOurs = (name: string) => name.startsWith('.')
  return {
    path,
    text,
    ours: names.filter(isOurs).map((name) => normalize(join(dirname(path), name))),
    packages: names.filter((name) => !isOurs(name)),
  }
}

export const readSources = (): Source[] =>
  ['src', 'workers', 'bench', 'test'].flatMap((top) =>
    readdirSync(join(root, top), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'))
      .map((name) => toSource(join(top, name), readFileSync(join(root, top, name), 'utf8'))),
  )
