import type { NumberRecord } from '../../../../contract/records/catalog.ts'
import { inWorkspace } from '../../foundation/api.ts'
import { useList } from '../../foundation/load.ts'
import type { PageProps } from '../../pages.ts'
import { EmptyState } from '../../parts/states.tsx'
import { ConversationList } from './list.tsx'
import { Thread } from './thread.tsx'

export function Page({ id }: PageProps) {
  const numbers = useList<NumberRecord>(inWorkspace('/numbers', { limit: 200 })).rows ?? []
  return (
    <div class={id === undefined ? 'inbox' : 'inbox opened'}>
      <ConversationList currentId={id} numbers={numbers} />
      {id === undefined ? (
        <div class="thread nothing">
          <EmptyState icon="conversations" title="Choose a conversation">
            What was said appears here, with every status as it comes.
          </EmptyState>
        </div>
      ) : (
        <Thread key={id} id={id} />
      )}
    </div>
  )
}
