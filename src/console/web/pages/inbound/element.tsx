import type { UnappliedElementDetail } from '../../../../contract/inbound-elements.ts'
import { inWorkspace } from '../../core/api.ts'
import { phone, pretty } from '../../core/format.ts'
import { useResource } from '../../core/load.ts'
import { hrefOf } from '../../core/router.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { DialogBody, Drawer } from '../../parts/dialog.tsx'
import { type Fact, Facts } from '../../parts/facts.tsx'
import { ErrorState, Note, Skeleton } from '../../parts/states.tsx'
import { Exactly } from '../../parts/time.tsx'
import { reasons } from './reasons.ts'

/** One element with its JSON. */
export function ElementDrawer({ id, onClose }: { readonly id: string; onClose(): void }) {
  const element = useResource<UnappliedElementDetail>(inWorkspace(`/inbound/${id}`))
  return (
    <Drawer title={element.data ? reasons[element.data.reason][0] : 'Element'} isWide onClose={onClose}>
      <DialogBody>
        {element.error && <ErrorState error={element.error} onRetry={element.reload} />}
        {!element.data && !element.error && <Skeleton />}
        {element.data && <Detail element={element.data} />}
      </DialogBody>
    </Drawer>
  )
}

const Detail = ({ element }: { readonly element: UnappliedElementDetail }) => (
  <>
    <p>{reasons[element.reason][1]}</p>
    <Facts
      facts={[
        ['Came', <Exactly key="came" at={element.at} />],
        ['Field', element.field ?? '—'],
        ['Part', element.part ?? '—'],
        ['Number', element.number === null ? '—' : phone(element.number)],
        [
          'Applied',
          element.appliedAt === null ? 'Not yet' : <Exactly key="applied" at={element.appliedAt} />,
        ],
        ...madeOf(element),
      ]}
    />
    {element.fullBytes !== null && (
      <Note>Only the beginning is kept: it came with {element.fullBytes} bytes.</Note>
    )}
    <CodeBlock label="As it came" text={pretty(element.body)} />
  </>
)

function madeOf({ messageId, callId }: UnappliedElementDetail): Fact[] {
  if (messageId !== null)
    return [
      [
        'Message',
        <a href={hrefOf('conversations', messageId)} key="message">
          {messageId}
        </a>,
      ],
    ]
  return callId === null
    ? []
    : [
        [
          'Call',
          <a href={hrefOf('calls', callId)} key="call">
            {callId}
          </a>,
        ],
      ]
}
