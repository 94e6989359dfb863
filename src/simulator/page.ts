// Serves the page with the handsets and its files. They are bundled at the first request.
import { fileURLToPath } from 'node:url'
import { bundleSite } from '../web/bundle.ts'
import { type FileReply, fileReply, filesOnce } from '../web/page-files.ts'
import { isSharedPath, SHARED, sharedFiles } from '../web/shared-files.ts'

const site = {
  folder: fileURLToPath(new URL('./web/', import.meta.url)),
  base: SHARED,
  modules: ['main.tsx'],
  others: ['styles/index.css'],
}

const load = filesOnce(async () => [
  ...(await bundleSite(site, { thorough: false })).files,
  ...(await sharedFiles()),
])

export const isPagePath = (path: string): boolean => path === '/' || isSharedPath(path)

/** Returns undefined when there is no such file. */
export async function answerPage(
  path: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Promise<FileReply | undefined> {
  const file = (await load()).get(nameAt(path))
  const one = (name: string) => headers[name]?.toString()
  return (
    file && fileReply(file, { ifNoneMatch: one('if-none-match'), acceptEncoding: one('accept-encoding') })
  )
}

function nameAt(path: string): string {
  if (path === '/') return 'index.html'
  return path.startsWith(SHARED) ? path.slice(SHARED.length) : path.slice(1)
}
