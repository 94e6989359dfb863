// Adds recipients from a file or pasted rows: a dry run, then the upload, with a verdict for every row.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { CampaignRecord } from '../../../../contract/records/campaign.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { plural } from '../../core/format.ts'
import { useAction } from '../../core/load.ts'
import { Button } from '../../parts/button.tsx'
import { CloseButton, Dialog, DialogActions, DialogBody } from '../../parts/dialog.tsx'
import { Problem } from '../../parts/states.tsx'
import { useTemplate } from './choices.ts'
import { ChooseSource } from './choose-source.tsx'
import { expectedColumns, type Source } from './sources.ts'
import { nothingYet, type Tally } from './tally.ts'
import { type Job, upload } from './upload.ts'
import { Verdicts } from './verdicts.tsx'

type Step = 'choose' | 'judged' | 'added'

interface Props {
  readonly campaign: CampaignRecord
  onChange(campaign: CampaignRecord): void
  onClose(): void
}

const stopped = 'Stopped. Rows that were added stay; the same file again adds the others.'

async function run(job: Job, onChange: (campaign: CampaignRecord) => void): Promise<void> {
  try {
    await upload(job)
  } catch (error) {
    throw job.signal.aborted ? new Error(stopped) : error
  } finally {
    // Rows that were added before a failure stay, so read the campaign in any case.
    if (!job.isDryRun) onChange(await api.get<CampaignRecord>(inWorkspace(`/campaigns/${job.campaignId}`)))
  }
}

export function AddRecipients({ campaign, onChange, onClose }: Props) {
  const columns = expectedColumns(useTemplate(campaign.template), campaign)
  const [source, setSource] = useState<Source>()
  const [step, setStep] = useState<Step>('choose')
  const [tally, setTally] = useState<Tally>(nothingYet)
  const action = useAction()
  const left = useRef(new AbortController())
  useEffect(() => () => left.current.abort(), [])
  const send = (isDryRun: boolean) =>
    action.run(async () => {
      if (!source) return
      setTally(nothingYet)
      setStep(isDryRun ? 'judged' : 'added')
      left.current = new AbortController()
      const { signal } = left.current
      await run({ campaignId: campaign.id, source, isDryRun, signal, onProgress: setTally }, onChange)
    })
  const again = () => {
    action.clear()
    setStep('choose')
  }
  return (
    <Dialog
      title="Add recipients"
      isWide
      isLocked={action.isBusy && step === 'added'}
      hasInput={source?.pasted !== undefined && step !== 'added'}
      onClose={onClose}
    >
      <DialogBody>
        {step === 'choose' ? (
          <ChooseSource columns={columns} source={source} onChange={setSource} />
        ) : (
          <Verdicts step={step} source={source} tally={tally} isBusy={action.isBusy} />
        )}
        <Problem error={action.error} />
      </DialogBody>
      <DialogActions>
        {step === 'choose' && (
          <>
            <CloseButton />
            <Button look="primary" disabled={!source} onClick={() => void send(true)}>
              Check rows
            </Button>
          </>
        )}
        {step === 'judged' && (
          <JudgedActions
            {...{ tally, isBusy: action.isBusy }}
            onAgain={again}
            onAdd={() => void send(false)}
          />
        )}
        {step === 'added' && (
          <AddedActions
            {...{ isBusy: action.isBusy, hasFailed: action.error !== undefined, onClose }}
            onStop={() => left.current.abort()}
            onRetry={() => void send(false)}
          />
        )}
      </DialogActions>
    </Dialog>
  )
}

const JudgedActions = ({
  tally,
  isBusy,
  onAgain,
  onAdd,
}: {
  readonly tally: Tally
  readonly isBusy: boolean
  onAgain(): void
  onAdd(): void
}) => (
  <>
    <Button isBusy={isBusy} onClick={onAgain}>
      Other rows
    </Button>
    <Button
      look="primary"
      disabled={!isBusy && tally.added + tally.skipped === 0}
      isBusy={isBusy}
      onClick={onAdd}
    >
      {isBusy ? 'Checking…' : `Add ${plural(tally.added, 'recipient')}`}
    </Button>
  </>
)

const AddedActions = ({
  isBusy,
  hasFailed,
  onStop,
  onRetry,
  onClose,
}: {
  readonly isBusy: boolean
  readonly hasFailed: boolean
  onStop(): void
  onRetry(): void
  onClose(): void
}) => (
  <>
    {isBusy && <Button onClick={onStop}>Stop</Button>}
    {hasFailed && <Button onClick={onRetry}>Try again</Button>}
    <Button look="primary" isBusy={isBusy} onClick={onClose}>
      {isBusy ? 'Adding…' : 'Done'}
    </Button>
  </>
)
