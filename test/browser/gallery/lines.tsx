// Parts that ask the server, for the test that delays and loses its answers.
import { render } from 'preact'
import { useState } from 'preact/hooks'
import { api } from '../../../src/console/web/core/api.ts'
import { useFresh } from '../../../src/console/web/core/fresh.ts'
import { useAction, useList } from '../../../src/console/web/core/load.ts'
import { useRepeat } from '../../../src/console/web/core/repeat.ts'
import { type Me, me } from '../../../src/console/web/core/session.ts'
import { isAskingToLeave } from '../../../src/console/web/core/unsaved.ts'
import { uploadFile } from '../../../src/console/web/core/upload-file.ts'
import { AskToLeave } from '../../../src/console/web/leave.tsx'
import { OpenedAction } from '../../../src/console/web/pages/campaigns/actions.tsx'
import { emptyDraft } from '../../../src/console/web/pages/campaigns/plan.ts'
import { PlanFields } from '../../../src/console/web/pages/campaigns/plan-fields.tsx'
import { outgoingOf, sendDraft } from '../../../src/console/web/pages/conversations/outbox.ts'
import { OutgoingBubble } from '../../../src/console/web/pages/conversations/outgoing-bubble.tsx'
import { SendTemplate } from '../../../src/console/web/pages/conversations/send-template.tsx'
import { Page as Numbers } from '../../../src/console/web/pages/numbers/page.tsx'
import { Figures as OverviewFigures } from '../../../src/console/web/pages/overview/figures.tsx'
import { GettingStarted, useSteps } from '../../../src/console/web/pages/overview/getting-started.tsx'
import { TemplateForm } from '../../../src/console/web/pages/templates/form.tsx'
import { TemplateList } from '../../../src/console/web/pages/templates/list.tsx'
import { Problem } from '../../../src/console/web/parts/states.tsx'
import { Toaster } from '../../../src/console/web/parts/toaster.tsx'
import type { CampaignRecord } from '../../../src/contract/records/campaign.ts'
import type { ConversationRecord } from '../../../src/contract/records/conversation.ts'
import type { OverviewRecord } from '../../../src/contract/records/overview.ts'
import { templates } from './templates.ts'
import { Things } from './things.tsx'

function Plan() {
  const [draft, setDraft] = useState({ ...emptyDraft, template: 'photo en_US' })
  const props = { draft, templates, numbers: [], error: undefined }
  return (
    <section aria-label="Plan">
      <PlanFields {...props} onChange={setDraft} />
    </section>
  )
}

function Repeated() {
  const [times, setTimes] = useState(0)
  useRepeat(1_000, async () => {
    await api.get('/repeated')
    setTimes((before) => before + 1)
  })
  return <p>Read {times} times</p>
}

function News() {
  const list = useList<{ readonly id: string }>('/things')
  const [news, setNews] = useState<number>()
  useFresh(list, news)
  return (
    <>
      <button type="button" onClick={() => setNews((before = 0) => before + 1)}>
        News
      </button>
      <Things list={list} />
    </>
  )
}

const CONVERSATION = 'cnv_1'

const Replies = () => (
  <>
    {['One', 'Two', 'Three'].map((text) => (
      <button key={text} type="button" onClick={() => sendDraft(CONVERSATION, { text, files: [] })}>
        Say {text}
      </button>
    ))}
    <ul aria-label="Replies">
      {outgoingOf(CONVERSATION)
        .filter(({ bodies }) => bodies.length > 0)
        .map((one) => (
          <OutgoingBubble key={one.id} outgoing={one} />
        ))}
    </ul>
  </>
)

function Upload() {
  const action = useAction()
  const send = () => uploadFile('/files', new File(['words'], 'words.txt', { type: 'text/plain' }))
  return (
    <section aria-label="Upload">
      <button type="button" onClick={() => void action.run(send)}>
        Upload
      </button>
      {action.isBusy && <p>Uploading</p>}
      <Problem error={action.error} />
    </section>
  )
}

const conversation = {
  id: CONVERSATION,
  numberId: 'num_1',
  contact: { name: 'Ana', number: '15557000001', username: null, userId: null, marketingOptedOut: false },
} as ConversationRecord

function Template() {
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const [keys] = useState(() => new Map())
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Send a template
      </button>
      {isOpen && (
        <SendTemplate conversation={conversation} keys={keys} entries={[]} onClose={close} onDone={close} />
      )}
    </>
  )
}

const campaign = {
  ...{ id: 'cmp_1', name: 'Spring', status: 'DRAFT', numberId: null, variables: {}, startAt: null },
  ...{ template: { name: 'photo', language: 'en_US' }, messagesPerSecond: null },
} as unknown as CampaignRecord

const Edit = () => (
  <OpenedAction opened="edit" campaign={campaign} onChange={() => undefined} onClose={() => undefined} />
)

function FirstSteps() {
  const { steps, hide } = useSteps()
  return steps?.length === 0 ? <p>No steps</p> : <GettingStarted steps={steps ?? []} onHide={hide} />
}

const busy = {
  ...{ messages: { perMinute: [6_000, 6_000], failedLastDay: 0 }, calls: { live: 0 }, campaignsRunning: 0 },
  deliveries: { held: 10_000, retrying: 0, pending: 0, failedLastDay: 0 },
} as unknown as OverviewRecord

const Figures = () => <OverviewFigures overview={busy} />

const Leaving = () => (isAskingToLeave.value ? <AskToLeave /> : null)

const scenes = {
  Edit,
  Figures,
  FirstSteps,
  Numbers,
  Plan,
  Repeated,
  News,
  Replies,
  Upload,
  Template,
  TemplateForm,
  TemplateList,
}

me.value = { operator: { id: 'opr_1' }, workspaces: [{ id: 'wsp_1', role: 'ADMIN' }] } as unknown as Me

/** The address names what is rendered. */
const Scene = scenes[new URLSearchParams(location.search).get('scene') as keyof typeof scenes]
const root = document.getElementById('app')
if (root)
  render(
    <main>
      <Scene />
      <Leaving />
      <Toaster />
    </main>,
    root,
  )
