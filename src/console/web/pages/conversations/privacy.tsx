// Export or erase everything that is known of the contact. The dialogs are fetched when one is opened.
import { useState } from 'preact/hooks'
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import { useLater } from '../../core/later.ts'
import { Button } from '../../parts/button.tsx'

interface Props {
  readonly conversation: ConversationRecord
}

const load = () => import('./privacy-dialogs.tsx')

export function PrivacyActions({ conversation }: Props) {
  const [opened, setOpened] = useState<'Export' | 'Erase'>()
  const close = () => setOpened(undefined)
  return (
    <div class="pane-actions">
      <Button icon="download" onClick={() => setOpened('Export')}>
        Export contact
      </Button>
      <Button look="quiet" onClick={() => setOpened('Erase')}>
        Erase contact
      </Button>
      {opened && <Opened conversation={conversation} which={opened} onClose={close} />}
    </div>
  )
}

function Opened({ which, ...props }: Props & { readonly which: 'Export' | 'Erase'; onClose(): void }) {
  const dialogs = useLater(load, props.onClose)
  if (!dialogs) return null
  const { [which]: Shown } = dialogs
  return <Shown {...props} />
}
