// What `/` answers: the way to the console and the documentation, for browsers as a page and for programs as JSON.
import type { HttpHandler } from '../../platform/http/exchange.ts'
import { fixedAnswer } from '../../platform/http/fixed-answer.ts'
import { productBar } from '../../web/product-bar.ts'
import { introduction } from '../openapi/guide.ts'
import { escaped } from './html.ts'
import { file, head, pageAnswer, policy, sharedStyles } from './layout.ts'

interface Place {
  readonly href: string
  readonly title: string
  readonly text: string
}

const places: readonly Place[] = [
  {
    href: '/console',
    title: 'Console',
    text: 'Conversations, calls and campaigns; keys, webhook endpoints and the log of what was delivered.',
  },
  {
    href: '/docs',
    title: 'Documentation',
    text: 'The API reference, guides, and what each error means.',
  },
]

const handsets = (href: string): Place => ({
  href,
  title: 'Handsets',
  text: 'The telephones of the simulated provider: write and call as a customer would.',
})

const style = `${sharedStyles}\n${file('./start-page.css')}`

const card = ({ href, title, text }: Place): string =>
  `<li><a href="${href}"><strong>${title}</strong><span>${text}</span></a></li>`

const html = (
  shown: readonly Place[],
  handsetsUrl: string | undefined,
): string => `${head('Switchboard', style)}
<body>
${productBar('/', handsetsUrl)}
<main>
<h1>Switchboard</h1>
<p>${escaped(introduction)}</p>
<ul>${shown.map(card).join('')}</ul>
<p class="note">For programs: <a href="/openapi.json">openapi.json</a>, <a href="/llms.txt">llms.txt</a></p>
</main>
</body>
</html>
`

const index = {
  name: 'Switchboard',
  api: '/api/v1',
  console: '/console',
  docs: '/docs',
  openapi: '/openapi.json',
}

const vary = 'accept, accept-encoding'

export function startPage(handsetsUrl: string | undefined): HttpHandler {
  const shown = [...places, ...(handsetsUrl === undefined ? [] : [handsets(handsetsUrl)])]
  const page = pageAnswer(
    { html: html(shown, handsetsUrl), contentSecurityPolicy: policy(style, []) },
    { vary },
  )
  const json = fixedAnswer({
    contentType: 'application/json',
    body: () => `${JSON.stringify(index, null, 2)}\n`,
    headers: { vary },
  })
  return (request) => (request.header('accept')?.includes('text/html') ? page(request) : json(request))
}
