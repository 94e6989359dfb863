// Reads and writes the files that `npm run build` makes. They lie beside this module's compiled form.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BundledFile } from '../../web/bundle.ts'
import { bundleConsole } from './bundle.ts'

const beside = fileURLToPath(new URL('./built/', import.meta.url))

/** Undefined if nothing was built, as in a process that runs from source. */
export function readBuilt(dir = beside): BundledFile[] | undefined {
  if (!existsSync(join(dir, 'index.html'))) return undefined
  return readdirSync(dir)
    .filter((name) => !/\.(br|gz)$/.test(name))
    .map((name) => ({
      name,
      bytes: readFileSync(join(dir, name)),
      brotli: readFileSync(join(dir, `${name}.br`)),
      gzip: readFileSync(join(dir, `${name}.gz`)),
    }))
}

export async function writeBuilt(dir: string): Promise<void> {
  const { files } = await bundleConsole({ thorough: true })
  await mkdir(dir, { recursive: true })
  for (const { name, bytes, brotli, gzip } of files) {
    await writeFile(join(dir, name), bytes)
    await writeFile(join(dir, `${name}.br`), brotli)
    await writeFile(join(dir, `${name}.gz`), gzip)
  }
}
