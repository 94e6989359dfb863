// What a message says after its sender has edited it or taken it back. It is always worked out from the first text and
// from all that changed it, so that the order in which they arrive makes no difference.
import type { MessageDetails } from '../contract/records/message-details.ts'

export interface Revisable {
  readonly text: string
  readonly details: MessageDetails | null
}

export interface Revising {
  readonly type: 'EDIT' | 'REVOKE'
  readonly text: string
  readonly details: MessageDetails | null
  readonly at: Date
}

/** Besides the first. */
const MAX_VERSIONS = 20

/** `changes`: by time. Undefined where there is nothing to change. */
export function revisedBy(original: Revisable, changes: readonly Revising[]): Revisable | undefined {
  const { text, details } = original
  if (details?.revoked) return undefined
  const revoke = changes.find(({ type }) => type === 'REVOKE')
  if (revoke) {
    const group = details?.group
    return { text: '', details: { ...(group && { group }), revoked: { at: revoke.at.toISOString() } } }
  }
  const edits = changes.filter((one) => one.type === 'EDIT' && one.details?.unsupported === undefined)
  const [first, last] = [edits[0], edits.at(-1)]
  if (!first || !last) return undefined
  const said = details?.edited?.versions[0]?.text ?? text
  const later = edits.slice(1).map((edit, index) => ({ text: edits[index]?.text ?? '', until: timeOf(edit) }))
  const versions = [{ text: said, until: timeOf(first) }, ...later.slice(-MAX_VERSIONS)]
  const media = details?.media && { ...details.media, caption: last.text === '' ? null : last.text }
  return {
    text: last.text,
    details: { ...details, ...(media && { media }), edited: { at: timeOf(last), versions } },
  }
}

const timeOf = ({ at }: Revising): string => at.toISOString()
