// Declines or ends a live call, after a confirmation.
import { useState } from 'preact/hooks'
import type { CallRecord } from '../../../../contract/records/call.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { can } from '../../core/session.ts'
import { say } from '../../core/toasts.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { contactOf, isLive } from './words.ts'

interface Props {
  readonly call: CallRecord
  onDone?(): void
}

export function EndCall({ call, onDone }: Props) {
  const [isAsking, setAsking] = useState(false)
  const { name } = contactOf(call)
  const declines = call.direction === 'INBOUND' && call.status === 'RINGING'
  const words = declines
    ? { button: 'Decline', title: `Decline the call from ${name}?`, action: 'Decline call', done: 'declined' }
    : { button: 'Hang up', title: `End the call with ${name}?`, action: 'Hang up', done: 'ended' }
  // An open dialog stays even if the call ends meanwhile: the server's answer then says so.
  if (!can('AGENT') || (!isLive(call) && !isAsking)) return null
  return (
    <>
      <Button aria-label={`${words.button}: ${name}`} onClick={() => setAsking(true)}>
        {words.button}
      </Button>
      {isAsking && (
        <Confirm
          title={words.title}
          action={words.action}
          work={() =>
            api.post(inWorkspace(`/calls/${call.id}/action`), { action: declines ? 'DECLINE' : 'HANG_UP' })
          }
          onDone={() => {
            setAsking(false)
            say(`The call with ${name} is ${words.done}.`)
            onDone?.()
          }}
          onClose={() => setAsking(false)}
        >
          <p>
            {declines
              ? 'It stops ringing for the customer and for every program that could answer it.'
              : 'The line is cut for both sides at once.'}
          </p>
        </Confirm>
      )}
    </>
  )
}
