import { useState } from 'preact/hooks'
import type { CampaignRecord } from '../../../../contract/records/campaign.ts'
import type { NumberRecord } from '../../../../contract/records/catalog.ts'
import type { AuditRecord } from '../../../../contract/records/console.ts'
import { inWorkspace } from '../../core/api.ts'
import { count, moment, phone, plural } from '../../core/format.ts'
import { useTopic } from '../../core/live.ts'
import { useList, useResource } from '../../core/load.ts'
import { hrefOf } from '../../core/router.ts'
import { can } from '../../core/session.ts'
import { Facts, Section } from '../../parts/facts.tsx'
import { FailureText } from '../../parts/failure.tsx'
import { later } from '../../parts/later.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { ErrorState, Note, Skeleton } from '../../parts/states.tsx'
import { Ago } from '../../parts/time.tsx'
import type { Opened } from './actions.tsx'
import { Buttons } from './buttons.tsx'
import { useTemplate } from './choices.ts'
import { EstimateFacts, useEstimate } from './estimate.tsx'
import { pauseWords } from './pause-words.ts'
import { TemplatePreview } from './preview.tsx'
import { CountList, doneOf, ProgressBar, topicOf } from './progress.tsx'
import { ProgressChart } from './progress-chart.tsx'
import { Recipients } from './recipients.tsx'
import { RunningRate, type Progress as Stored } from './running-rate.tsx'
import { UnknownBox } from './unknown.tsx'
import { CampaignBadge } from './words.tsx'

const OpenedAction = later(() => import('./actions.tsx').then((module) => module.OpenedAction))

export function CampaignPage({ id }: { readonly id: string }) {
  const resource = useResource<CampaignRecord>(inWorkspace(`/campaigns/${id}`))
  const live = useTopic<{ campaign: CampaignRecord | null }>(topicOf(id))?.campaign
  const [opened, setOpened] = useState<Opened>()
  const campaign = latest(resource.data, live)
  const back = { href: hrefOf('campaigns'), title: 'Campaigns' }
  if (!campaign)
    return (
      <>
        <PageHeader title="Campaign" back={back} />
        {resource.error ? <ErrorState error={resource.error} onRetry={resource.reload} /> : <Skeleton />}
      </>
    )
  return (
    <>
      <PageHeader
        title={campaign.name}
        back={back}
        actions={can('ADMIN') && <Buttons campaign={campaign} onOpen={setOpened} />}
      />
      <Paused campaign={campaign} />
      <UnknownBox campaign={campaign} onDone={resource.reload} />
      <Progress campaign={campaign} />
      <Plan campaign={campaign} />
      <Recipients campaign={campaign} />
      {opened && (
        <OpenedAction
          opened={opened}
          campaign={campaign}
          onClose={() => setOpened(undefined)}
          onChange={(changed) => {
            resource.set(changed)
            if (opened !== 'add') setOpened(undefined)
          }}
        />
      )}
    </>
  )
}

/** The newer of the two: the response to an action is shown until the live socket has caught up. */
function latest(
  read: CampaignRecord | undefined,
  live: CampaignRecord | null | undefined,
): CampaignRecord | undefined {
  if (!live || !read) return live ?? read
  return read.updatedAt > live.updatedAt ? read : live
}

function Paused({
  campaign: { id, status, pausedAt, pauseReason, pauseError },
}: {
  readonly campaign: CampaignRecord
}) {
  if (status !== 'PAUSED') return null
  const words = pauseReason && pauseWords[pauseReason]
  return (
    <Note tone="warn">
      <p>
        <strong>{words ? 'It paused by itself.' : <PausedBy campaignId={id} pausedAt={pausedAt} />}</strong>{' '}
        {words ? `${words.why} ${words.next}` : 'Nothing is sent until it is continued.'}
      </p>
      {pauseError && <FailureText failure={pauseError} />}
    </Note>
  )
}

/** Who paused it stands in the audit log, unless it was an API key: then nothing of that time is there. */
function PausedBy({
  campaignId,
  pausedAt,
}: {
  readonly campaignId: string
  readonly pausedAt: string | null
}) {
  const { data } = useResource<{ readonly data: readonly AuditRecord[] }>(
    inWorkspace('/audit', { action: 'campaign.paused', limit: 200 }),
  )
  // Both times are those of one transaction, the one rounded to milliseconds, the other cut off.
  const isThis = ({ subjectId, at }: AuditRecord) =>
    subjectId === campaignId && Math.abs(Date.parse(at) - Date.parse(pausedAt ?? '')) <= 1
  const who = data?.data.find(isThis)?.operator?.name
  return <>{who === undefined ? 'Paused.' : `Paused by ${who}.`}</>
}

function Progress({ campaign }: { readonly campaign: CampaignRecord }) {
  const { status, counts } = campaign
  return (
    <Section title="Progress">
      <div class="progress-head">
        <CampaignBadge status={status} />
        <span>{progressText(campaign)}</span>
      </div>
      <ProgressBar counts={counts} />
      <CountList campaign={campaign} />
      {campaign.startedAt !== null && <Started campaign={campaign} startedAt={campaign.startedAt} />}
    </Section>
  )
}

function Started({ campaign, startedAt }: { readonly campaign: CampaignRecord; readonly startedAt: string }) {
  const stored = useResource<Stored>(inWorkspace(`/campaigns/${campaign.id}/progress`))
  // If the samples cannot be read, the chart still shows the live ones.
  const progress = stored.data ?? (stored.error && { data: [], pace: null })
  return (
    <>
      <RunningRate campaign={campaign} progress={progress} onLook={stored.reload} />
      <ProgressChart campaign={campaign} startedAt={startedAt} progress={progress} />
    </>
  )
}

function progressText({ status, counts, startAt }: CampaignRecord): string {
  if (counts.total === 0) return 'No recipients yet.'
  if (status === 'SCHEDULED' && startAt !== null)
    return `Starts ${moment(startAt)}, to ${plural(counts.pending, 'recipient')}.`
  if (status === 'DRAFT') return `Ready for ${plural(counts.pending, 'recipient')}; nothing was sent.`
  return `${count(doneOf(counts))} of ${plural(counts.total, 'recipient')} processed.`
}

function Plan({ campaign }: { readonly campaign: CampaignRecord }) {
  const { template, numberId, variables, startAt, messagesPerSecond: pace, status } = campaign
  const numbers = useList<NumberRecord>(inWorkspace('/numbers', { limit: 200 }))
  const sent = useTemplate(template)
  const number = numbers.rows?.find(({ id }) => id === numberId)
  const hasEstimate = status === 'DRAFT' || status === 'SCHEDULED' || status === 'PAUSED'
  const defaults = Object.entries(variables)
  return (
    <div class="with-preview">
      <div>
        {hasEstimate && <EstimateSection campaign={campaign} />}
        <Section title="What is sent">
          <Facts
            facts={[
              ['Template', `${template.name} (${template.language})`],
              ['From', number ? `${phone(number.number)} ${number.displayName}` : '—'],
              [
                'Pace',
                pace === null ? 'As fast as the number may' : `At most ${plural(pace, 'message')} a second`,
              ],
              ['Start', startAt === null ? 'When somebody starts it' : moment(startAt)],
              [
                'Default values',
                defaults.length === 0
                  ? 'None'
                  : defaults.map(([name, value]) => `${name}: ${value}`).join(' · '),
              ],
              ['Created', <Ago key="created" at={campaign.createdAt} />],
              ['Started', <Ago key="started" at={campaign.startedAt} />],
              ['Ended', <Ago key="ended" at={campaign.completedAt ?? campaign.cancelledAt} />],
            ]}
          />
        </Section>
      </div>
      {can('AGENT') && <TemplatePreview template={sent} variables={variables} />}
    </div>
  )
}

function EstimateSection({ campaign }: { readonly campaign: CampaignRecord }) {
  const estimate = useEstimate(campaign)
  return (
    <Section title={campaign.status === 'PAUSED' ? 'Before it goes on' : 'Before it starts'}>
      <EstimateFacts estimate={estimate} />
    </Section>
  )
}
