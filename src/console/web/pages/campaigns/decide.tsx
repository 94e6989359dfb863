// The decision on recipients with an unknown outcome.
import { useState } from 'preact/hooks'
import type { CampaignRecord, RecipientRecord } from '../../../../contract/records/campaign.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { count, phone, plural } from '../../core/format.ts'
import { useAction, useList } from '../../core/load.ts'
import { say } from '../../core/toasts.ts'
import { FormDialog } from '../../parts/dialog.tsx'
import { Check, Choices, Select } from '../../parts/field.tsx'
import { ErrorState, Skeleton } from '../../parts/states.tsx'

type Decision = 'resend' | 'assume-sent'

const consequences: Readonly<Record<Decision, string>> = {
  resend: 'Whoever did get the first message gets it a second time.',
  'assume-sent': 'They count as sent. Whoever did not get the message gets none.',
}

interface Props {
  readonly campaign: CampaignRecord
  onDone(): void
  onClose(): void
}

export function Decide({ campaign, onDone, onClose }: Props) {
  const list = useList<RecipientRecord>(
    inWorkspace(`/campaigns/${campaign.id}/recipients`, { status: 'UNKNOWN', limit: 200 }),
  )
  const [decision, setDecision] = useState<Decision>('assume-sent')
  const [isAll, setAll] = useState(true)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const action = useAction()
  const affected = isAll ? campaign.counts.unknown : chosen.length
  const submit = () =>
    action.run(async () => {
      const path = inWorkspace(`/campaigns/${campaign.id}/unknown/${decision}`)
      const settled = await api.post<{ count: number }>(path, isAll ? { all: true } : { ids: chosen })
      const who = plural(settled.count, 'recipient')
      say(decision === 'resend' ? `Sent again to ${who}.` : `${who} taken as sent.`)
      onDone()
    })
  return (
    <FormDialog
      title="What became of them?"
      submit={decision === 'resend' ? `Send again to ${count(affected)}` : `Take ${count(affected)} as sent`}
      look={decision === 'resend' ? 'danger' : 'primary'}
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={() => affected > 0 && void submit()}
    >
      <Select
        label="Decision"
        hint={consequences[decision]}
        value={decision}
        options={[
          { value: 'assume-sent', label: 'Take them as sent' },
          { value: 'resend', label: 'Send to them again' },
        ]}
        onChange={(value) => setDecision(value as Decision)}
      />
      <Check
        label={`All ${plural(campaign.counts.unknown, 'recipient')}`}
        checked={isAll}
        onChange={setAll}
      />
      {!isAll && list.error && <ErrorState error={list.error} onRetry={list.reload} />}
      {!isAll && !list.rows && !list.error && <Skeleton rows={3} />}
      {!isAll && list.rows && (
        <Choices
          label="Recipients"
          hint={list.hasMore ? 'The first 200; decide on these, and the next ones come.' : undefined}
          options={list.rows.map(({ id, to, userId }) => ({ value: id, label: phone(to || (userId ?? id)) }))}
          chosen={chosen}
          onChange={setChosen}
        />
      )}
    </FormDialog>
  )
}
