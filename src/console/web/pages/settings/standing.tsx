// Shows whether the workspace is active. The platform owner can suspend and resume it here.
import { useState } from 'preact/hooks'
import type { WorkspaceDetail } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { me } from '../../core/session.ts'
import { say } from '../../core/toasts.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/dialog.tsx'

interface Props {
  readonly record: WorkspaceDetail
  onChange(record: WorkspaceDetail): void
}

export function Standing({ record, onChange }: Props) {
  const [isAsking, setAsking] = useState(false)
  const isActive = record.status === 'ACTIVE'
  const status = isActive ? 'SUSPENDED' : 'ACTIVE'
  return (
    <span class="apart">
      {isActive ? <Badge tone="good">Active</Badge> : <Badge tone="bad">Suspended</Badge>}
      {me.value?.operator.platformOwner === true && (
        <Button onClick={() => setAsking(true)}>{isActive ? 'Suspend' : 'Resume'}</Button>
      )}
      {isAsking && (
        <Confirm
          title={isActive ? `Suspend ${record.name}?` : `Resume ${record.name}?`}
          action={isActive ? 'Suspend workspace' : 'Resume workspace'}
          look={isActive ? 'danger' : 'primary'}
          work={() => api.post(inWorkspace(isActive ? '/suspend' : '/resume'))}
          onDone={() => {
            say(isActive ? `${record.name} is suspended.` : `${record.name} is active again.`)
            setAsking(false)
            onChange({ ...record, status })
          }}
          onClose={() => setAsking(false)}
        >
          {isActive ? (
            <>
              <p>
                Its API keys are refused from now on, its campaigns pause, and nothing reaches customers from
                the console either. Calls under way may still be ended.
              </p>
              <p>
                Messages of customers are still taken in. Once it is resumed, keys work again at once; its
                campaigns stay paused until somebody continues each.
              </p>
            </>
          ) : (
            <p>
              Its API keys are taken again from the next request on, and the console may write to customers.
              Campaigns stay paused until somebody continues each.
            </p>
          )}
        </Confirm>
      )}
    </span>
  )
}
