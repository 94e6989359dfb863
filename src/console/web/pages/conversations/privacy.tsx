// Export or erase everything that is known of the contact. Both go on without the dialog.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import type { ErasureRecord, ExportRecord } from '../../../../contract/records/privacy.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { count, plural } from '../../core/format.ts'
import { useAction } from '../../core/load.ts'
import { useRepeat } from '../../core/repeat.ts'
import { hrefOf, navigate } from '../../core/router.ts'
import { say, sayError } from '../../core/toasts.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions, DialogBody, FormDialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { nameOf, recipientOf } from './words.ts'

const LOOK_MS = 1_000

export function PrivacyActions({ conversation }: { readonly conversation: ConversationRecord }) {
  const [opened, setOpened] = useState<'export' | 'erase'>()
  const close = () => setOpened(undefined)
  return (
    <div class="pane-actions">
      <Button icon="download" onClick={() => setOpened('export')}>
        Export contact
      </Button>
      <Button look="quiet" onClick={() => setOpened('erase')}>
        Erase contact
      </Button>
      {opened === 'export' && <Export conversation={conversation} onClose={close} />}
      {opened === 'erase' && <Erase conversation={conversation} onClose={close} />}
    </div>
  )
}

interface Props {
  readonly conversation: ConversationRecord
  onClose(): void
}

function Erase({ conversation, onClose }: Props) {
  const { contact, id } = conversation
  const [confirm, setConfirm] = useState('')
  const [job, setJob] = useState<ErasureRecord>()
  const action = useAction()
  const isGone = job?.status === 'COMPLETED'
  useRepeat(job && !isGone ? LOOK_MS : undefined, async () => {
    const next = await api.get<ErasureRecord>(inWorkspace(`/erasures/${job?.id}`)).catch(sayError)
    if (!next) return
    setJob(next)
    if (next.status !== 'COMPLETED') return
    say(`${nameOf(conversation)} is erased.`)
    navigate(hrefOf('conversations'), { replace: true })
  })
  if (job) return <Progress title="Erasing the contact" verb="erased" job={job} onClose={onClose} />
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

function Export({ conversation, onClose }: Props) {
  const { id } = conversation
  const [job, setJob] = useState<ExportRecord>()
  const action = useAction()
  const isRunning = job?.status === 'PENDING' || job?.status === 'RUNNING'
  useRepeat(isRunning ? LOOK_MS : undefined, async () => {
    const next = await api.get<ExportRecord>(inWorkspace(`/exports/${job?.id}`)).catch(sayError)
    if (next) setJob(next)
  })
  const file = job?.status === 'COMPLETED' && `/console/api${inWorkspace(`/exports/${job.id}/file`)}`
  if (job)
    return (
      <Progress title="Exporting the contact" verb="exported" job={job} onClose={onClose}>
        {job.error && <p>{job.error.title}.</p>}
        {file && (
          <a class="button primary" href={file} download="">
            Download archive
          </a>
        )}
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

function Progress({
  title,
  verb,
  job,
  children,
  onClose,
}: {
  readonly title: string
  readonly verb: string
  readonly job: ErasureRecord | ExportRecord
  readonly children?: ComponentChildren
  onClose(): void
}) {
  const { messages, calls, files, events, recipients } = job.counts
  const done = messages + calls
  const all = Math.max(done, job.total ?? 0)
  return (
    <Dialog title={title} onClose={onClose}>
      <DialogBody>
        <p role="status">
          {job.status === 'COMPLETED' ? 'Done: ' : 'Under way: '}
          {count(done)} of {plural(all, 'message or call', 'messages and calls')} {verb},{' '}
          {plural(files, 'file')}, {plural(events, 'event')},{' '}
          {plural(recipients, 'place on a list', 'places on lists')} of campaigns.
        </p>
        <p class="dim">It goes on when you close this.</p>
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
        {children}
      </DialogActions>
    </Dialog>
  )
}
