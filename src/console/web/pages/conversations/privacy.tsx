// Export or erase everything that is known of the contact. The dialogs are fetched when one is opened.
import { useState } from 'preact/hooks'
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import { Button } from '../../parts/button.tsx'
import { later } from '../../parts/later.tsx'

interface Props {
  readonly conversation: ConversationRecord
}

const Export = later(() => import('./privacy-dialogs.tsx').then((module) => module.Export))
const Erase = later(() => import('./privacy-dialogs.tsx').then((module) => module.Erase))

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
      {opened === 'Export' && <Export conversation={conversation} onClose={close} />}
      {opened === 'Erase' && <Erase conversation={conversation} onClose={close} />}
    </div>
  )
}
