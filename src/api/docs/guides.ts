// The guides of /docs: pages of this repository, up to the heading that is for contributors.
import { readFileSync } from 'node:fs'

export interface Guide {
  /** Its address is /docs/<slug>. */
  readonly slug: string
  readonly title: string
  /** Markdown. Links lead to addresses below /docs. */
  readonly text: string
}

/** The file of each guide, relative to `src`, in the order of the contents. */
export const guideFiles: Readonly<Record<string, string>> = {
  send: 'messaging/README.md',
  replies: 'api/guides/replies.md',
  people: 'api/guides/people.md',
  receive: 'delivery/README.md',
  'received-messages': 'api/guides/received-messages.md',
  calls: 'calls/README.md',
  campaigns: 'campaigns/README.md',
  privacy: 'privacy/README.md',
  templates: 'api/guides/templates.md',
  lists: 'api/guides/lists.md',
  'account-health': 'api/guides/account-health.md',
  errors: 'api/guides/errors.md',
  idempotency: 'api/guides/idempotency.md',
  'going-live': 'api/guides/going-live.md',
  accounts: 'accounts/README.md',
  console: 'console/README.md',
  running: 'platform/README.md',
  'release-notes': 'api/guides/release-notes.md',
}

const source = new URL('../../', import.meta.url)

const addresses = new Map(
  Object.entries(guideFiles).map(([slug, path]) => [new URL(path, source).href, `/docs/${slug}`]),
)

export const readGuides = (): readonly Guide[] =>
  Object.entries(guideFiles).map(([slug, path]) => {
    const file = new URL(path, source)
    const text = forReaders(readFileSync(file, 'utf8'), file)
    return { slug, title: /^# (.+)$/m.exec(text)?.[1] ?? slug, text }
  })

/** Throws where a link leads to a file that is not a guide. */
function forReaders(page: string, file: URL): string {
  const [text = ''] = page.split(/^## Inside$/m)
  const linked = text.replace(/\]\((?!https?:|\/|#)([^)#]+)(#[^)]*)?\)/g, (_link, path, anchor = '') => {
    const address = addresses.get(new URL(path, file).href)
    if (address === undefined) throw new Error(`${file.pathname} links to ${path}, which is not a guide`)
    return `](${address}${anchor})`
  })
  return `${linked.replace(/^<!--.*?-->\n?/gm, '').trim()}\n`
}
