// What the public port shows to everybody: the document, and the page made from it.
import type { HttpHandler } from '../../http/exchange.ts'
import { fixedAnswer } from '../../http/fixed-answer.ts'
import { documentText, openApiDocument } from '../openapi/document.ts'
import { referencePage } from './page.ts'

/** Handlers by path. */
export function referencePages(): Readonly<Record<string, HttpHandler>> {
  const { html, contentSecurityPolicy } = referencePage(openApiDocument())
  return {
    '/openapi.json': fixedAnswer({
      contentType: 'application/json',
      body: documentText(),
      // Tools in a browser may read it from anywhere: it holds nothing that is not public.
      headers: { 'access-control-allow-origin': '*' },
    }),
    '/docs': fixedAnswer({
      contentType: 'text/html; charset=utf-8',
      body: html,
      headers: {
        'content-security-policy': contentSecurityPolicy,
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      },
    }),
  }
}
