// The frame of every documentation page: contents, search, style, and a policy that allows nothing from elsewhere.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { escaped } from './html.ts'

export interface Page {
  readonly html: string
  readonly contentSecurityPolicy: string
}

export interface Contents {
  readonly title: string
  readonly entries: readonly { readonly href: string; readonly label: string; readonly isHere?: boolean }[]
}

interface Parts {
  readonly title: string
  readonly contents: readonly Contents[]
  readonly main: string
  /** Scripts of this page, beside the search. */
  readonly scripts?: readonly string[]
}

export const file = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

const style = `${file('./page.css')}\n${file('./parts.css')}`
const search = file('./search.js')

export function layout({ title, contents, main, scripts = [] }: Parts): Page {
  const code = [search, ...scripts]
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<div class="layout">
<nav aria-label="Contents">
<form class="search" role="search" hidden><label for="search">Search</label> <input id="search" type="search" autocomplete="off" spellcheck="false" aria-controls="found">
<div id="found" aria-live="polite"></div></form>
${contents.map(navigation).join('\n')}</nav>
<main id="main">
${main}
</main>
</div>
${code.map((one) => `<script type="module">${one}</script>`).join('\n')}
</body>
</html>
`
  return { html, contentSecurityPolicy: policy(style, code) }
}

const navigation = ({ title, entries }: Contents): string =>
  `<h2>${escaped(title)}</h2><ul>${entries.map(entry).join('')}</ul>`

const entry = ({ href, label, isHere }: Contents['entries'][number]): string =>
  `<li><a href="${href}"${isHere ? ' aria-current="page"' : ''}>${escaped(label)}</a></li>`

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

const policy = (style: string, scripts: readonly string[]): string =>
  [
    "default-src 'none'",
    `style-src ${hashOf(style)}`,
    `script-src ${scripts.map(hashOf).join(' ')}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
