import { answerLeaving } from './core/unsaved.ts'
import { FormDialog } from './parts/dialog.tsx'

/** Asks before what somebody typed is lost. */
export const AskToLeave = () => (
  <FormDialog
    title="Discard what you typed?"
    submit="Discard"
    cancel="Keep editing"
    look="danger"
    isBusy={false}
    error={undefined}
    onSubmit={() => answerLeaving(true)}
    onClose={() => answerLeaving(false)}
  >
    <p>It is not saved. If you leave now, it is gone.</p>
  </FormDialog>
)
