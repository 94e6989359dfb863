// Builds a page of the gallery, which the tests of single parts open without a server.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const styles = fileURLToPath(new URL('../../src/console/web/styles/index.css', import.meta.url))

/** The files of the page by path: `/main.js`, from its source, and `/index.css`. */
export async function bundleOf(page: URL): Promise<ReadonlyMap<string, string>> {
  const { outputFiles } = await build({
    entryPoints: { main: fileURLToPath(page), index: styles },
    ...{ bundle: true, write: false, outdir: '/', jsx: 'automatic', jsxImportSource: 'preact' },
    loader: { '.woff2': 'empty' },
  })
  return new Map(outputFiles.map(({ path, text }) => [path, text]))
}

export const htmlOf = (title: string): string =>
  `<!doctype html><html lang="en"><title>${title}</title><link rel="stylesheet" href="/index.css">
<div id="app"></div><script src="/main.js"></script></html>`
