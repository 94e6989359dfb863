// What the search box of /docs looks through: one entry for each section of a guide, route, event and error code.
import { errorCatalog } from '../../contract/errors.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import type { Guide } from './guides.ts'
import type { Operation } from './operation.ts'
import { anchorOf } from './render.ts'

export interface SearchEntry {
  readonly title: string
  readonly href: string
  /** Every word of the section once, in lower case. */
  readonly words: string
}

const wordsOf = (text: string): string =>
  [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_.-]{2,}/gu) ?? [])].join(' ')

export const searchIndex = (document: OpenApiDocument, guides: readonly Guide[]): readonly SearchEntry[] => [
  ...guides.flatMap(sectionsOf),
  ...operationsOf(document),
  ...Object.entries(errorCatalog).map(([code, { meaning }]) => ({
    title: code,
    href: `/docs/errors/${code}`,
    words: wordsOf(`${code} ${meaning}`),
  })),
]

const sectionsOf = ({ slug, title, text }: Guide): SearchEntry[] =>
  text.split(/^(?=## )/m).map((section) => {
    const heading = /^## (.+)\n/.exec(section)?.[1]
    const words = wordsOf(`${title} ${section}`)
    if (heading === undefined) return { title, href: `/docs/${slug}`, words }
    return { title: `${title}: ${heading}`, href: `/docs/${slug}#${anchorOf(heading)}`, words }
  })

function operationsOf({ paths, webhooks }: OpenApiDocument): SearchEntry[] {
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  )
  const events = Object.entries(webhooks).map(([name, { post }]) => ({ name, operation: post }))
  return [...routes, ...events].map(({ name, operation }) => {
    const { operationId, summary, description } = operation as unknown as Operation
    return {
      title: `${name}: ${summary}`,
      href: `/docs#${operationId}`,
      words: wordsOf(`${name} ${operationId} ${summary} ${description}`),
    }
  })
}
