// What the workspace asks of the sign-ins and sessions of its members.
import { useState } from 'preact/hooks'
import type { WorkspaceDetail } from '../../../../contract/records/console.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { day, plural } from '../../core/format.ts'
import { useAction } from '../../core/load.ts'
import { can, me } from '../../core/session.ts'
import { say } from '../../core/toasts.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { FormDialog } from '../../parts/dialog.tsx'
import { Facts, Section } from '../../parts/facts.tsx'
import { Check, type Option, Select } from '../../parts/field.tsx'
import { Note } from '../../parts/states.tsx'

interface Props {
  readonly record: WorkspaceDetail
  onChange(record: WorkspaceDetail): void
}

type Edited = Props & { onClose(): void }

export function SignInRules(props: Props) {
  const [edited, setEdited] = useState<'factor' | 'sessions'>()
  const onClose = () => setEdited(undefined)
  const { sessionMinutes, idleMinutes } = props.record
  return (
    <Section title="Sign-in and sessions">
      <Facts
        facts={[
          [
            'Second factor',
            <span key="factor" class="apart">
              <Requirement {...props} />
              {can('OWNER') && <Button onClick={() => setEdited('factor')}>Change requirement</Button>}
            </span>,
          ],
          [
            'Sessions',
            <span key="sessions" class="apart">
              {`End ${durationOf(sessionMinutes ?? LONGEST)} after the sign-in, or after ${durationOf(idleMinutes ?? LONGEST_IDLE)} without use`}
              {can('OWNER') && <Button onClick={() => setEdited('sessions')}>Change limits</Button>}
            </span>,
          ],
        ]}
      />
      {edited === 'factor' && <EditFactor {...props} onClose={onClose} />}
      {edited === 'sessions' && <EditSessions {...props} onClose={onClose} />}
    </Section>
  )
}

function Requirement({ record: { secondFactorFrom: from } }: Props) {
  if (from === null) return <span>Each member decides</span>
  return Date.parse(from) <= Date.now() ? (
    <Badge tone="good">Required</Badge>
  ) : (
    <span>{`Required from ${day(from)}`}</span>
  )
}

const graces = [
  { value: '0', label: 'No time: from now on' },
  ...[1, 7, 14, 30].map((days) => ({ value: String(days), label: plural(days, 'day') })),
]

const AS_IT_IS = ''

const graceLeft = ({ secondFactorFrom: from }: WorkspaceDetail): readonly Option[] =>
  from === null || Date.parse(from) <= Date.now()
    ? []
    : [{ value: AS_IT_IS, label: `As it is: from ${day(from)}` }]

function EditFactor({ record, onChange, onClose }: Edited) {
  const [isRequired, setRequired] = useState(record.secondFactorFrom !== null)
  // A grace period that runs goes on, unless somebody chooses another.
  const [asItIs] = useState(() => graceLeft(record))
  const [grace, setGrace] = useState(asItIs.length > 0 ? AS_IT_IS : '0')
  const action = useAction()
  const secondFactor = isRequired ? { required: true, graceDays: Number(grace) } : { required: false }
  const submit = async () => {
    if (isRequired && grace === AS_IT_IS) return onClose()
    const isDone = await action.run(async () =>
      onChange(await api.patch<WorkspaceDetail>(inWorkspace(''), { secondFactor })),
    )
    if (!isDone) return
    say(isRequired ? 'A second factor is required.' : 'No second factor is required any more.')
    onClose()
  }
  return (
    <FormDialog
      title="Second factor of members"
      submit="Save"
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <p>
        Members without one are led to turn it on, and reach nothing of this workspace before. API keys are
        not affected. Members shows who has none yet.
      </p>
      {me.value?.operator.totp === false && (
        <Note tone="warn">Turn on your own first, under My account.</Note>
      )}
      <Check label="Require a second factor" checked={isRequired} onChange={setRequired} />
      {isRequired && (
        <Select
          label="Time to turn it on"
          value={grace}
          options={[...asItIs, ...graces]}
          onChange={setGrace}
        />
      )}
    </FormDialog>
  )
}

const LONGEST = 7 * 24 * 60
const LONGEST_IDLE = 12 * 60

function EditSessions({ record, onChange, onClose }: Edited) {
  const [life, setLife] = useState(textOf(record.sessionMinutes))
  const [idle, setIdle] = useState(textOf(record.idleMinutes))
  const action = useAction()
  const submit = async () => {
    const [sessionMinutes, idleMinutes] = [minutesOf(life), minutesOf(idle)]
    // A colleague may have changed the other one.
    const limits = {
      ...(sessionMinutes !== record.sessionMinutes && { sessionMinutes }),
      ...(idleMinutes !== record.idleMinutes && { idleMinutes }),
    }
    if (Object.keys(limits).length === 0) return onClose()
    const isDone = await action.run(async () =>
      onChange(await api.patch<WorkspaceDetail>(inWorkspace(''), limits)),
    )
    if (!isDone) return
    say('The limits of sessions are changed.')
    onClose()
  }
  return (
    <FormDialog
      title="How long sessions last"
      submit="Save"
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      <p>
        Whoever is past a limit must sign in again to go on in this workspace. It counts for sessions that are
        open now, too.
      </p>
      <Select
        label="After the sign-in"
        value={life}
        options={optionsOf([60, 240, 480, 720, 1_440, 4_320], life, LONGEST)}
        error={action.error?.of('sessionMinutes')}
        onChange={setLife}
      />
      <Select
        label="Without use"
        value={idle}
        options={optionsOf([15, 30, 60, 120, 240], idle, LONGEST_IDLE)}
        error={action.error?.of('idleMinutes')}
        onChange={setIdle}
      />
    </FormDialog>
  )
}

const textOf = (minutes: number | null): string => minutes?.toString() ?? ''
const minutesOf = (text: string): number | null => (text === '' ? null : Number(text))

/** The usual lengths, the present one, and none: the limit of the installation. */
function optionsOf(usual: readonly number[], present: string, longest: number) {
  const minutes = [...new Set([...usual, ...(present === '' ? [] : [Number(present)])])]
  return [
    ...minutes
      .sort((one, other) => one - other)
      .map((each) => ({ value: String(each), label: durationOf(each) })),
    { value: '', label: `${durationOf(longest)} (the longest)` },
  ]
}

function durationOf(minutes: number): string {
  if (minutes % 1_440 === 0) return plural(minutes / 1_440, 'day')
  return minutes % 60 === 0 ? plural(minutes / 60, 'hour') : plural(minutes, 'minute')
}
