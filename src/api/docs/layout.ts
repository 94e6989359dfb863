// The frame of every documentation page: contents, search, style, and a policy that allows nothing from elsewhere.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { HttpHandler } from '../../platform/http/exchange.ts'
import { fixedAnswer } from '../../platform/http/fixed-answer.ts'
import { productBar } from '../../web/product-bar.ts'
import { sharedLinks, sharedStyle } from '../../web/shared-files.ts'
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
  /** The page with the handsets, in development. */
  readonly handsetsUrl?: string | undefined
  /** Scripts of this page, beside the search. */
  readonly scripts?: readonly string[]
}

export const file = (name: string): string => readFileSync(new URL(name, import.meta.url), 'utf8')

/** Colours, font and header of all our pages. */
export const sharedStyles = ['tokens.css', 'font.css', 'product-bar.css'].map(sharedStyle).join('\n')

const style = [sharedStyles, file('./page.css'), file('./parts.css')].join('\n')
const search = file('./search.js')
const theme = file('./theme.js')

export function layout({ title, contents, main, handsetsUrl, scripts = [] }: Parts): Page {
  const code = [search, ...scripts]
  const html = `${head(title, style)}
<body>
<a class="skip" href="#main">Skip to the content</a>
${productBar('/docs', handsetsUrl)}
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

export const head = (title: string, itsStyle: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
${sharedLinks}
<script>${theme}</script>
<style>${itsStyle}</style>
</head>`

const navigation = ({ title, entries }: Contents): string =>
  `<h2>${escaped(title)}</h2><ul>${entries.map(entry).join('')}</ul>`

const entry = ({ href, label, isHere }: Contents['entries'][number]): string =>
  `<li><a href="${href}"${isHere ? ' aria-current="page"' : ''}>${escaped(label)}</a></li>`

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

export const policy = (itsStyle: string, scripts: readonly string[]): string =>
  [
    "default-src 'none'",
    `style-src ${hashOf(itsStyle)}`,
    `script-src ${[theme, ...scripts].map(hashOf).join(' ')}`,
    "font-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

export const pageAnswer = (
  { html, contentSecurityPolicy }: Page,
  headers: Readonly<Record<string, string>> = {},
): HttpHandler =>
  fixedAnswer({
    contentType: 'text/html; charset=utf-8',
    body: () => html,
    headers: {
      'content-security-policy': contentSecurityPolicy,
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      ...headers,
    },
  })
