// What somebody has begun to write, for each conversation. It outlives going elsewhere and reloading the page, until
// the tab is closed.
import { createOwn } from '../../core/kept.ts'
import { type Draft, type Drafts, isEmpty, keptDrafts } from './draft.ts'

const empty: Draft = { text: '', files: [] }

const now = (all: Drafts): Drafts => keptDrafts(all, Date.now())
const drafts = createOwn<Drafts>('drafts', { empty: {}, read: now, write: now })

export const draftOf = (id: string): Draft => drafts.get()[id] ?? empty

export function changeDraft(id: string, change: Partial<Draft> | ((draft: Draft) => Draft)): void {
  const draft = draftOf(id)
  const next = typeof change === 'function' ? change(draft) : { ...draft, ...change }
  const { [id]: _, ...others } = drafts.get()
  drafts.set(isEmpty(next) ? others : { ...others, [id]: next })
}

export const unquote = (id: string): void => changeDraft(id, ({ text, files }) => ({ text, files }))
