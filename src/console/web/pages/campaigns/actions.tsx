// The actions on a campaign. Each has a dialog that says what will happen.
import { useState } from 'preact/hooks'
import type { CampaignRecord } from '../../../../contract/records/campaign.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { count, moment, plural } from '../../core/format.ts'
import { useAction } from '../../core/load.ts'
import { hrefOf, navigate } from '../../core/router.ts'
import { say } from '../../core/toasts.ts'
import { Confirm, FormDialog } from '../../parts/dialog.tsx'
import { ErrorState, Skeleton } from '../../parts/states.tsx'
import { AddRecipients } from './add-recipients.tsx'
import { useChoices } from './choices.ts'
import { EstimateFacts, useEstimate } from './estimate.tsx'
import { changesOf, draftOf } from './plan.ts'
import { PlanFields } from './plan-fields.tsx'

export type Opened = 'start' | 'startNow' | 'pause' | 'cancel' | 'delete' | 'edit' | 'add' | 'removeAll'

interface Props {
  readonly campaign: CampaignRecord
  onChange(campaign: CampaignRecord): void
  onClose(): void
}

type Halted = CampaignRecord & { readonly inFlight: number }

export interface ActionProps extends Props {
  readonly opened: Opened
}

export function OpenedAction({ opened, ...props }: ActionProps) {
  switch (opened) {
    case 'start':
      return <Start {...props} />
    case 'startNow':
      return <Start {...props} isNow />
    case 'pause':
      return <Pause {...props} />
    case 'cancel':
      return <Cancel {...props} />
    case 'delete':
      return <Delete {...props} />
    case 'edit':
      return <Edit {...props} />
    case 'add':
      return <AddRecipients {...props} />
    case 'removeAll':
      return <RemoveAll {...props} />
  }
}

const isLater = ({ startAt, status }: CampaignRecord): boolean =>
  startAt !== null && status !== 'PAUSED' && Date.parse(startAt) > Date.now()

function verbOf({ status }: CampaignRecord, later: string | null): string {
  if (status === 'PAUSED') return 'Continue'
  return later === null ? 'Start' : 'Schedule'
}

/** `isNow` drops the scheduled start time. */
function Start({ campaign, isNow = false, onChange, onClose }: Props & { readonly isNow?: boolean }) {
  const action = useAction()
  const path = inWorkspace(`/campaigns/${campaign.id}`)
  const planned = isNow ? { ...campaign, startAt: null } : campaign
  const later = isLater(planned) ? planned.startAt : null
  const estimate = useEstimate(campaign)
  const pending = plural(estimate.data?.recipients ?? campaign.counts.pending, 'recipient')
  const start = async () => {
    onChange(await api.post<CampaignRecord>(isNow ? `${path}/start?now=true` : `${path}/start`))
    say(later === null ? `${campaign.name} is running.` : `${campaign.name} starts at ${moment(later)}.`)
  }
  const verb = verbOf(campaign, later)
  return (
    <FormDialog
      title={`${verb} ${campaign.name}?`}
      submit={later === null ? `${verb} sending to ${pending}` : `Schedule for ${moment(later)}`}
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={() => void action.run(start)}
    >
      <p>
        {later === null
          ? 'Sending begins at once. You can pause it at any time; what has reached the provider by then cannot be taken back.'
          : 'It starts by itself at its time, even while nobody has the console open. Until then you can change it or take the schedule back.'}
      </p>
      <EstimateFacts estimate={isNow ? withoutStart(estimate) : estimate} />
    </FormDialog>
  )
}

function withoutStart(estimate: ReturnType<typeof useEstimate>): ReturnType<typeof useEstimate> {
  const { data } = estimate
  if (!data) return estimate
  const startsAt = new Date().toISOString()
  return {
    ...estimate,
    data: { ...data, startsAt, endsAt: new Date(Date.now() + data.seconds * 1_000).toISOString() },
  }
}

const onTheWire = (inFlight: number): string =>
  inFlight === 0
    ? 'Nothing was on its way to the provider.'
    : `${plural(inFlight, 'message was', 'messages were')} on the way to the provider and may still arrive.`

const Pause = ({ campaign, onChange, onClose }: Props) => (
  <Confirm
    title={campaign.status === 'SCHEDULED' ? `Take back the schedule?` : `Pause ${campaign.name}?`}
    action={campaign.status === 'SCHEDULED' ? 'Take it back' : 'Pause'}
    work={async () => {
      const halted = await api.post<Halted>(inWorkspace(`/campaigns/${campaign.id}/pause`))
      onChange(halted)
      say(
        campaign.status === 'SCHEDULED'
          ? `${campaign.name} is a draft again.`
          : `${campaign.name} is paused. ${onTheWire(halted.inFlight)}`,
      )
    }}
    onDone={onClose}
    onClose={onClose}
  >
    <p>
      {campaign.status === 'SCHEDULED'
        ? 'It becomes a draft again and does not start by itself. Its recipients stay.'
        : 'No further message is sent once this is done. Whoever is still pending keeps the place and gets it when you continue.'}
    </p>
  </Confirm>
)

const Cancel = ({ campaign, onChange, onClose }: Props) => (
  <Confirm
    title={`Cancel ${campaign.name}?`}
    action="Cancel campaign"
    work={async () => {
      const halted = await api.post<Halted>(inWorkspace(`/campaigns/${campaign.id}/cancel`))
      onChange(halted)
      say(`${campaign.name} is cancelled. ${onTheWire(halted.inFlight)}`)
    }}
    onDone={onClose}
    onClose={onClose}
  >
    <p>
      {plural(campaign.counts.pending, 'recipient who still waits gets', 'recipients who still wait get')}{' '}
      nothing. What was sent stays sent and is reported on. A cancelled campaign cannot be started again.
    </p>
  </Confirm>
)

const Delete = ({ campaign, onClose }: Props) => (
  <Confirm
    title={`Delete ${campaign.name}?`}
    action="Delete campaign"
    work={() => api.delete(inWorkspace(`/campaigns/${campaign.id}`))}
    onDone={() => {
      say(`${campaign.name} is deleted.`)
      navigate(hrefOf('campaigns'), { replace: true })
    }}
    onClose={onClose}
  >
    <p>
      Its {plural(campaign.counts.total, 'recipient')} and their report go with it. Messages that were sent
      stay in the conversations. This cannot be undone.
    </p>
  </Confirm>
)

const RemoveAll = ({ campaign, onChange, onClose }: Props) => (
  <Confirm
    title="Remove all pending recipients?"
    action={`Remove ${count(campaign.counts.pending)}`}
    work={async () => {
      const path = inWorkspace(`/campaigns/${campaign.id}`)
      const { removed } = await api.delete<{ removed: number }>(`${path}/recipients`, { all: true })
      onChange(await api.get<CampaignRecord>(path))
      say(`${plural(removed, 'recipient is', 'recipients are')} removed.`)
    }}
    onDone={onClose}
    onClose={onClose}
  >
    <p>Whoever has a message already, or is on the way to it, stays in the report.</p>
  </Confirm>
)

function Edit({ campaign, onChange, onClose }: Props) {
  const { templates, numbers, error, retry } = useChoices(campaign.template)
  const isComplete = templates !== undefined && numbers !== undefined
  const [before] = useState(() => draftOf(campaign))
  const [draft, setDraft] = useState(before)
  const action = useAction()
  const isAdjustment = campaign.status === 'PAUSED'
  return (
    <FormDialog
      title="Edit campaign"
      submit="Save"
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={() =>
        void action.run(async () => {
          const changes = changesOf(before, draft, isAdjustment)
          if (Object.keys(changes).length === 0) return onClose()
          onChange(await api.patch<CampaignRecord>(inWorkspace(`/campaigns/${campaign.id}`), changes))
          say('Saved.')
        })
      }
    >
      {error && !isComplete && <ErrorState error={error} onRetry={retry} />}
      {!error && !isComplete && <Skeleton rows={4} />}
      {templates && numbers && (
        <PlanFields
          draft={draft}
          templates={templates}
          numbers={numbers}
          error={action.error}
          isAdjustment={isAdjustment}
          hasNumber={before.numberId !== ''}
          onChange={setDraft}
        />
      )}
    </FormDialog>
  )
}
