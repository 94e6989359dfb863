// Serves the page with the handsets and its files. They are bundled at the first request.
import { fileURLToPath } from 'node:url'
import { bundleSite } from '../web/bundle.ts'
import { type FileReply, fileReply, filesOnce } from '../web/page-files.ts'

const BASE = '/assets/'

const site = {
  folder: fileURLToPath(new URL('./web/', import.meta.url)),
  base: BASE,
  modules: ['main.tsx'],
  others: ['styles/index.css', 'icon.svg'],
}

const load = filesOnce(async () => (await bundleSite(site, { thorough: false })).files)

export const isPagePath = (path: string): boolean => path === '/' || path.startsWith(BASE)

/** Returns undefined when there is no such file. */
export async function answerPage(
  path: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Promise<FileReply | undefined> {
  const file = (await load()).get(path === '/' ? 'index.html' : path.slice(BASE.length))
  const one = (name: string) => headers[name]?.toString()
  return (
    file && fileReply(file, { ifNoneMatch: one('if-none-match'), acceptEncoding: one('accept-encoding') })
  )
}
