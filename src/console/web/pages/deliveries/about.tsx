import type { DeliverySubject } from '../../../../contract/records/console.ts'
import { hrefOf } from '../../core/router.ts'
import { moreOf, whoOf } from './words.ts'

/** Whom and what an event is about; the name leads to the record. */
export function About({ subject }: { readonly subject: DeliverySubject }) {
  const more = moreOf(subject)
  const href = recordOf(subject)
  const who = whoOf(subject)
  return (
    <span class="stack about">
      {href ? <a href={href}>{who}</a> : <span class={subject.contact ? undefined : 'dim'}>{who}</span>}
      {more !== '' && <small title={more}>{more}</small>}
    </span>
  )
}

/** The page of the message, call or conversation. */
export function recordOf({ kind, id }: DeliverySubject): string | undefined {
  if (kind === 'account') return hrefOf('numbers')
  if (id === null) return undefined
  return hrefOf(kind === 'call' ? 'calls' : 'conversations', id)
}
