// Recipients with an unknown outcome: the operator decides, and is told what each decision may cause.
import { useState } from 'preact/hooks'
import type { CampaignRecord } from '../../../../contract/records/campaign.ts'
import { plural } from '../../core/format.ts'
import { can } from '../../core/session.ts'
import { Button } from '../../parts/button.tsx'
import { later } from '../../parts/later.tsx'
import { Note } from '../../parts/states.tsx'

const Decide = later(() => import('./decide.tsx').then((module) => module.Decide))

export function UnknownBox({ campaign, onDone }: { readonly campaign: CampaignRecord; onDone(): void }) {
  const [isOpen, setOpen] = useState(false)
  const { unknown } = campaign.counts
  if (unknown === 0) return null
  return (
    <Note tone="warn">
      <p>
        <strong>{plural(unknown, 'recipient needs', 'recipients need')} a decision.</strong> The message was
        handed to the provider, but the answer got lost: it may have arrived or not. Nothing is sent twice by
        itself; if the provider still reports on it, this settles without you.
      </p>
      {can('ADMIN') && (
        <div class="note-actions">
          <Button onClick={() => setOpen(true)}>Decide</Button>
        </div>
      )}
      {isOpen && (
        <Decide
          campaign={campaign}
          onClose={() => setOpen(false)}
          onDone={() => {
            setOpen(false)
            onDone()
          }}
        />
      )}
    </Note>
  )
}
