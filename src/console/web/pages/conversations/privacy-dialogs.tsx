// Export or erase everything that is known of the contact. Both go on without the dialog.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import type { ErasureRecord, ExportRecord } from '../../../../contract/records/privacy.ts'
import { type ApiError, api, inWorkspace, toApiError } from '../../core/api.ts'
import { count, plural } from '../../core/format.ts'
import { useAction } from '../../core/load.ts'
import { useRepeat } from '../../core/repeat.ts'
import { hrefOf, navigate } from '../../core/router.ts'
import { say } from '../../core/toasts.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions, DialogBody, FormDialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Problem } from '../../parts/states.tsx'
import { isWaitedFor, useWaitFor } from './erasing.ts'
import { nameOf, recipientOf } from './words.ts'

const LOOK_MS = 1_000

interface Props {
  readonly conversation: ConversationRecord
  onClose(): void
}

export function Erase({ conversation, onClose }: Props) {
  const { contact, id } = conversation
  const [confirm, setConfirm] = useState('')
  const [job, setJob] = useState<ErasureRecord>()
  const action = useAction()
  const isGone = job?.status === 'COMPLETED'
  const look = useLook()
  useWaitFor(id, job !== undefined)
  useRepeat(job && !isGone ? LOOK_MS : undefined, async () => {
    const next = await look.at<ErasureRecord>(`/erasures/${job?.id}`)
    if (!next) return
    setJob(next)
    if (next.status !== 'COMPLETED') return
    say(`${nameOf(conversation)} is erased.`)
    // Who has closed the dialog meanwhile may be elsewhere.
    if (isWaitedFor(id)) navigate(hrefOf('conversations'), { replace: true })
  })
  if (job)
    return (
      <Progress title="Erasing the contact" verb="erased" job={job} onClose={onClose}>
        <Problem error={look.error} />
      </Progress>
    )
  const begin = async () =>
    setJob(await api.post<ErasureRecord>(inWorkspace(`/conversations/${id}/erasure`), { confirm }))
  return (
    <FormDialog
      title={`Erase ${nameOf(conversation)}?`}
      submit="Erase contact"
      look="danger"
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={() => void action.run(begin)}
    >
      <p>
        Messages, files, calls, places on lists of campaigns and what the delivery log says of this contact
        are erased, in every conversation of the workspace. This cannot be undone. An opt-out stays in force.
      </p>
      <Field
        label="Number of the contact"
        hint={`Type ${recipientOf(contact)} to confirm.`}
        value={confirm}
        inputMode="tel"
        autocomplete="off"
        error={action.error?.of('confirm')}
        onInput={setConfirm}
      />
    </FormDialog>
  )
}

export function Export({ conversation, onClose }: Props) {
  const { id } = conversation
  const [job, setJob] = useState<ExportRecord>()
  const action = useAction()
  const isRunning = job?.status === 'PENDING' || job?.status === 'RUNNING'
  const look = useLook()
  useRepeat(isRunning ? LOOK_MS : undefined, async () => {
    const next = await look.at<ExportRecord>(`/exports/${job?.id}`)
    if (next) setJob(next)
  })
  const file = job?.status === 'COMPLETED' && `/console/api${inWorkspace(`/exports/${job.id}/file`)}`
  if (job)
    return (
      <Progress
        title="Exporting the contact"
        verb="exported"
        job={job}
        action={
          file && (
            <a class="button primary" href={file} download="">
              Download archive
            </a>
          )
        }
        onClose={onClose}
      >
        {job.error && <p>{job.error.title}.</p>}
        <Problem error={look.error} />
      </Progress>
    )
  const begin = async () =>
    setJob(await api.post<ExportRecord>(inWorkspace(`/conversations/${id}/export`), {}))
  return (
    <FormDialog
      title={`Export ${nameOf(conversation)}?`}
      submit="Export contact"
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={() => void action.run(begin)}
    >
      <p>
        An archive of everything that is known of this contact is made: messages, files, calls, places on
        lists of campaigns and events. It can be downloaded for seven days.
      </p>
    </FormDialog>
  )
}

/** A read that fails shows once, however often it is repeated. */
function useLook() {
  const [error, setError] = useState<ApiError>()
  return {
    error,
    async at<Record>(path: string): Promise<Record | undefined> {
      try {
        const record = await api.get<Record>(inWorkspace(path))
        setError(undefined)
        return record
      } catch (failure) {
        setError(toApiError(failure))
        return undefined
      }
    },
  }
}

const beginnings = {
  PENDING: 'Under way: ',
  RUNNING: 'Under way: ',
  COMPLETED: 'Done: ',
  FAILED: 'Failed: ',
  EXPIRED: 'Not kept any more: ',
} as const

function Progress({
  title,
  verb,
  job,
  action,
  children,
  onClose,
}: {
  readonly title: string
  readonly verb: string
  readonly job: ErasureRecord | ExportRecord
  readonly action?: ComponentChildren
  readonly children?: ComponentChildren
  onClose(): void
}) {
  const { messages, calls, files, events, recipients } = job.counts
  const done = messages + calls
  const all = Math.max(done, job.total ?? 0)
  const isUnderWay = job.status === 'PENDING' || job.status === 'RUNNING'
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogBody>
        <p role="status">
          {beginnings[job.status]}
          {count(done)} of {plural(all, 'message or call', 'messages and calls')} {verb},{' '}
          {plural(files, 'file')}, {plural(events, 'event')},{' '}
          {plural(recipients, 'place on a list', 'places on lists')} of campaigns.
        </p>
        {isUnderWay && <p class="dim">It goes on when you close this.</p>}
        {children}
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        {action}
      </DialogActions>
    </Dialog>
  )
}
