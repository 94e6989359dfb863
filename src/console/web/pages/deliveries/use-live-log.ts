// The delivery log while it is live. The pages read it again when the topic has news, and keep the reader's place.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { DeliveryRecord } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { useTopic } from '../../core/live.ts'
import type { List } from '../../core/load.ts'
import { createPendingNews } from '../../core/pending-news.ts'
import { useRepeat } from '../../core/repeat.ts'
import { changed, nothingWaits, taken, type Waiting, withNews, withoutShown } from './live-log.ts'

const EVERY_MS = 1_000
/** The list takes as many ids at once. */
const MOST_LOOKED_AFTER = 50

interface Page {
  readonly data: readonly DeliveryRecord[]
  readonly nextCursor: string | null
}

export interface LiveLog {
  readonly waiting: Waiting<DeliveryRecord>
  /** Shows what waits. */
  take(): void
}

export function useLiveLog(
  list: List<DeliveryRecord>,
  { path, isLive }: { readonly path: string; readonly isLive: boolean },
): LiveLog {
  const news = useTopic<object>(isLive ? 'deliveries' : undefined)
  const [pending] = useState(createPendingNews)
  const [state, setState] = useState<{ path: string; waiting: Waiting<DeliveryRecord> }>()
  const held = state?.path === path && isLive ? state.waiting : nothingWaits
  const waiting = { ...held, rows: withoutShown({ shown: list.rows ?? [], waiting: held }) }
  const current = useRef({ path, rows: list.rows, waiting })
  current.current = { path, rows: list.rows, waiting }
  useEffect(() => setState(undefined), [path, isLive])
  useRepeat(isLive ? EVERY_MS : undefined, async () => {
    const hasNews = pending.isDue(news)
    const found = await read(path, { rows: list.rows, hasNews })
    if (!found && hasNews) pending.failed()
    const { rows: shown, ...now } = current.current
    // Meanwhile the reader has chosen another filter, or the first rows are not there yet.
    if (!found || !shown || now.path !== path) return
    if (hasNews) pending.took(news)
    const next = withNews({ shown, waiting: now.waiting }, found.first)
    list.update((rows) => changed(changed(rows, found.first.rows), found.others))
    // Nobody reads an empty list, so that nothing waits.
    if (shown.length === 0) list.reload()
    else if (next.waiting.rows.length > 0) setState({ path, waiting: next.waiting })
  })
  return {
    waiting,
    take() {
      if (waiting.hasGap) list.reload()
      else list.update((rows) => taken({ shown: rows, waiting }))
      setState(undefined)
      document.getElementById('content')?.scrollTo(0, 0)
    },
  }
}

interface Read {
  readonly first: { readonly rows: readonly DeliveryRecord[]; readonly isWhole: boolean }
  /** Rows that are shown further down and may still change. */
  readonly others: readonly DeliveryRecord[]
}

async function read(
  path: string,
  { rows = [], hasNews }: { readonly rows: readonly DeliveryRecord[] | undefined; readonly hasNews: boolean },
): Promise<Read | undefined> {
  try {
    const first = hasNews ? await api.get<Page>(path) : undefined
    const isRead = new Set(first?.data.map(({ id }) => id))
    const open = rows
      .filter((row) => !isRead.has(row.id) && (hasNews ? isOpen(row) : isDue(row)))
      .slice(0, MOST_LOOKED_AFTER)
    const others = open.length === 0 ? undefined : await api.get<Page>(pathOf(open))
    return {
      first: { rows: first?.data ?? [], isWhole: first?.nextCursor === null },
      others: others?.data ?? [],
    }
  } catch {
    // A later turn tries again.
    return undefined
  }
}

const isOpen = ({ state }: DeliveryRecord): boolean => state === 'PENDING' || state === 'RETRYING'

const isDue = (row: DeliveryRecord): boolean =>
  isOpen(row) && (row.nextAttemptAt === null || Date.parse(row.nextAttemptAt) <= Date.now())

const pathOf = (rows: readonly DeliveryRecord[]): string =>
  inWorkspace('/deliveries', { ids: rows.map(({ id }) => id).join(','), limit: rows.length })
