// The buttons for what the status of a campaign allows.
import type { CampaignRecord } from '../../../../contract/records/campaign.ts'
import { Button } from '../../parts/button.tsx'
import { Menu, type MenuItem } from '../../parts/menu.tsx'
import type { Opened } from './actions.tsx'

interface Props {
  readonly campaign: CampaignRecord
  onOpen(opened: Opened): void
}

const isEnded = ({ status }: CampaignRecord): boolean => status === 'COMPLETED' || status === 'CANCELLED'

export function Buttons({ campaign, onOpen }: Props) {
  const isEmpty = campaign.counts.total === 0
  return (
    <>
      {!isEnded(campaign) && (
        <Button look={isEmpty ? 'primary' : 'plain'} icon="plus" onClick={() => onOpen('add')}>
          Add recipients
        </Button>
      )}
      <NextStep campaign={campaign} onOpen={onOpen} />
      <Menu label="More actions" items={itemsOf(campaign, onOpen)} />
    </>
  )
}

function NextStep({ campaign, onOpen }: Props) {
  const { status, counts } = campaign
  if (status === 'SCHEDULED') return <Button onClick={() => onOpen('pause')}>Take back the schedule</Button>
  if (status === 'RUNNING')
    return (
      <Button look="primary" onClick={() => onOpen('pause')}>
        Pause
      </Button>
    )
  if (isEnded(campaign) || counts.total === 0) return null
  return (
    <Button look="primary" onClick={() => onOpen('start')}>
      {startLabel(campaign)}
    </Button>
  )
}

function startLabel({ status, startAt }: CampaignRecord): string {
  if (status === 'PAUSED') return 'Continue…'
  return startAt !== null && Date.parse(startAt) > Date.now() ? 'Schedule…' : 'Start…'
}

const edit = { label: 'Edit', opened: 'edit' } as const
const startNow = { label: 'Start now', opened: 'startNow' } as const
const removeAll = { label: 'Remove all pending recipients', opened: 'removeAll', isDanger: true } as const
const cancel = { label: 'Cancel', opened: 'cancel', isDanger: true } as const
const remove = { label: 'Delete', opened: 'delete', isDanger: true } as const

function itemsOf(campaign: CampaignRecord, onOpen: Props['onOpen']): MenuItem[] {
  const { status, counts, startAt } = campaign
  const ifPending = counts.pending > 0 ? [removeAll] : []
  const ifTimed = startAt === null ? [] : [startNow]
  const items = {
    DRAFT: [edit, ...ifTimed, ...ifPending, remove],
    SCHEDULED: [edit, ...ifTimed, ...ifPending, cancel],
    RUNNING: [cancel],
    PAUSED: [edit, ...ifPending, cancel],
    COMPLETED: [remove],
    CANCELLED: [remove],
  }
  return items[status].map(({ opened, ...item }) => ({ ...item, onSelect: () => onOpen(opened) }))
}
