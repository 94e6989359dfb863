// Asks the server while somebody types. What was asked before is broken off, and its results stay until others come.
import { useEffect, useState } from 'preact/hooks'
import type { SearchKind, SearchResult } from '../../../contract/records/console.ts'
import { type ApiError, api, inWorkspace, toApiError } from '../core/api.ts'
import { phone, sentence } from '../core/format.ts'
import { workspaceHref } from '../core/router.ts'
import type { IconName } from '../parts/icon.tsx'
import type { Entry } from './entries.ts'
import { withoutSecret } from './without-secret.ts'

/** Keys that come faster are one question. */
const PAUSE_MS = 60

export interface Search {
  readonly results: readonly Entry[]
  readonly error: ApiError | undefined
  /** The results are not those of the text yet. */
  readonly isBusy: boolean
  retry(): void
}

interface State {
  readonly text: string
  readonly results: readonly Entry[]
  readonly error?: ApiError
}

const nothing: State = { text: '', results: [] }

export function useSearch(typed: string): Search {
  const text = withoutSecret(typed.trim()).slice(0, 200)
  const [state, setState] = useState<State>(nothing)
  const [turn, setTurn] = useState(0)
  useEffect(() => {
    if (text === '') return setState(nothing)
    const abort = new AbortController()
    const ask = () =>
      api.get<{ data: readonly SearchResult[] }>(inWorkspace('/search', { q: text }), abort.signal).then(
        ({ data }) => setState({ text, results: inGroups(data.map(toEntry)) }),
        (failure: unknown) => {
          if (!abort.signal.aborted) setState({ text, results: [], error: toApiError(failure) })
        },
      )
    const timer = setTimeout(() => void ask(), PAUSE_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [text, turn])
  return {
    results: text === '' ? [] : state.results,
    error: state.text === text ? state.error : undefined,
    isBusy: state.text !== text,
    retry: () => {
      setState(nothing)
      setTurn(turn + 1)
    },
  }
}

const shown: Readonly<Record<SearchKind, readonly [group: string, icon: IconName]>> = {
  contact: ['People', 'account'],
  conversation: ['People', 'conversations'],
  message: ['Messages', 'conversations'],
  call: ['Calls', 'calls'],
  campaign: ['Campaigns', 'campaigns'],
  recipient: ['Campaigns', 'account'],
  template: ['Sending', 'templates'],
  number: ['Sending', 'numbers'],
  delivery: ['Delivery log', 'deliveries'],
  element: ['Not understood', 'warning'],
  audit: ['Audit log', 'audit'],
  endpoint: ['Developers', 'endpoints'],
  key: ['Developers', 'keys'],
  member: ['Members', 'members'],
}

const groups = [...new Set(Object.values(shown).map(([group]) => group))]

/** What is in one group stands together, as the arrows go through it. */
const inGroups = (entries: readonly Entry[]): readonly Entry[] =>
  [...entries].sort((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group))

function toEntry({ kind, id, title, number, detail, status, at, link }: SearchResult): Entry {
  const [group, icon] = shown[kind]
  const spelled = number === null ? undefined : phone(number)
  // A number within a title, as in “Text to +1…”, is spelled as everywhere.
  const named = title?.replace(/\+\d{7,15}$/, (one) => phone(one)) ?? spelled ?? id
  return {
    ...{ id: `${kind}-${id}`, group, icon, title: named, href: workspaceHref(link) },
    detail: [title === null ? undefined : spelled, detail].filter(Boolean).join(' · ') || undefined,
    status: status === null ? undefined : sentence(status),
    at: at ?? undefined,
  }
}
