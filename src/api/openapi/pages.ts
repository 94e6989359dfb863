// What the public port shows to everybody: the document, and the page made from it.
import type { HttpHandler } from '../../http/exchange.ts'
import { fixedAnswer } from '../../http/fixed-answer.ts'
import { documentText } from './document.ts'

/** Handlers by path. */
export const referencePages = (): Readonly<Record<string, HttpHandler>> => ({
  '/openapi.json': fixedAnswer({
    contentType: 'application/json',
    body: documentText(),
    // Tools in a browser may read it from anywhere: it holds nothing that is not public.
    headers: { 'access-control-allow-origin': '*' },
  }),
})
