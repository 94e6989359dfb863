// The public documentation routes: the reference, the guides, a page for each error code, each also as Markdown.
import { type ErrorCode, errorCatalog } from '../../contract/errors.ts'
import type { HttpHandler } from '../../platform/http/exchange.ts'
import { fixedAnswer } from '../../platform/http/fixed-answer.ts'
import { documentText, type OpenApiDocument, openApiDocument } from '../openapi/document.ts'
import { introduction } from '../openapi/guide.ts'
import { errorText } from './error-text.ts'
import { type Guide, readGuides } from './guides.ts'
import { type Contents, layout, type Page, pageAnswer } from './layout.ts'
import { referencePage } from './page.ts'
import { referenceText } from './reference-text.ts'
import { render } from './render.ts'
import { searchIndex } from './search-index.ts'
import { startPage } from './start-page.ts'

interface Links {
  /** The page with the handsets of the provider's simulator, in development. */
  readonly handsetsUrl?: string | undefined
}

/** Handlers by path. Each page is rendered at its first request, and what it is made of is not made before. */
export function documentationPages({ handsetsUrl }: Links = {}): Readonly<Record<string, HttpHandler>> {
  let made: OpenApiDocument | undefined
  const document = () => {
    made ??= openApiDocument()
    return made
  }
  const guides = readGuides()
  const texts: [address: string, text: string][] = [
    ...guides.map(({ slug, text }): [string, string] => [`/docs/${slug}`, text]),
    ...Object.keys(errorCatalog).map((code): [string, string] => [
      `/docs/errors/${code}`,
      errorText(code as ErrorCode),
    ]),
  ]
  const pages = texts.flatMap(([address, text]) => [
    [address, htmlAnswer(() => guidePage(address, text, { guides, handsetsUrl }))],
    [`${address}.md`, textAnswer('text/markdown', () => text)],
  ])
  return {
    ...Object.fromEntries(pages),
    '/': startPage(handsetsUrl),
    '/docs': htmlAnswer(() => referencePage(document(), contentsOf(guides, '/docs'), handsetsUrl)),
    '/docs.md': textAnswer('text/markdown', () => referenceText(document())),
    '/docs/search.json': fixedAnswer({
      contentType: 'application/json',
      body: () => JSON.stringify(searchIndex(document(), guides)),
    }),
    '/llms.txt': textAnswer('text/plain', () => overview(guides)),
    '/openapi.json': fixedAnswer({
      contentType: 'application/json',
      body: () => documentText(document()),
      // Browser tools may read the document from any origin: everything in it is public.
      headers: { 'access-control-allow-origin': '*' },
    }),
  }
}

const contentsOf = (guides: readonly Guide[], here: string): Contents => ({
  title: 'Guides',
  entries: [
    ...guides.map(({ slug, title }) => ({ href: `/docs/${slug}`, label: title })),
    { href: '/docs', label: 'API reference' },
  ].map((entry) => ({ ...entry, isHere: entry.href === here })),
})

interface Around extends Links {
  readonly guides: readonly Guide[]
}

function guidePage(address: string, text: string, { guides, handsetsUrl }: Around): Page {
  const { html, headings } = render(text)
  const [title, ...parts] = headings
  const here = parts
    .filter(({ level }) => level === 2)
    .map(({ id, text: label }) => ({ href: `#${id}`, label }))
  return layout({
    title: `${title?.text ?? ''} · Switchboard`,
    handsetsUrl,
    contents: [contentsOf(guides, address), { title: 'On this page', entries: here }],
    main: `${html}<p class="note">This page as text: <a href="${address}.md">${address}.md</a></p>`,
  })
}

const textAnswer = (type: string, body: () => string): HttpHandler =>
  fixedAnswer({ contentType: `${type}; charset=utf-8`, body })

function htmlAnswer(render: () => Page): HttpHandler {
  let answer: HttpHandler | undefined
  return (request) => {
    answer ??= pageAnswer(render())
    return answer(request)
  }
}

/** llms.txt: what there is to read, for language models. */
const overview = (guides: readonly Guide[]): string =>
  [
    '# Switchboard',
    `> ${introduction}`,
    '## Guides',
    guides.map(({ slug, title }) => `- [${title}](/docs/${slug}.md)`).join('\n'),
    '## Reference',
    '- [API reference](/docs.md)\n- [OpenAPI document](/openapi.json)',
    '## Errors',
    Object.entries(errorCatalog)
      .map(([code, { meaning }]) => `- [${code}](/docs/errors/${code}.md): ${meaning}`)
      .join('\n'),
    '',
  ].join('\n\n')
