// Files that are dropped anywhere on a thread are attached to the reply.
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import { sayError } from '../../core/toasts.ts'
import { Icon } from '../../parts/icon.tsx'
import { isAnswerable } from './reply.tsx'

interface Props {
  readonly conversation: ConversationRecord | undefined
  readonly children: ComponentChildren
}

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true

export function DropPlace({ conversation, children }: Props) {
  const [isOver, setOver] = useState(false)
  // Every element below sends its own enter and leave.
  const depth = useRef(0)
  const takes = conversation !== undefined && isAnswerable(conversation)
  const moved = (by: 1 | -1) => (event: DragEvent) => {
    if (!takes || !hasFiles(event)) return
    depth.current += by
    setOver(depth.current > 0)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping only supplements the button that attaches files.
    <div
      class="thread-body"
      onDragEnter={moved(1)}
      onDragLeave={moved(-1)}
      onDragOver={(event) => {
        if (takes && hasFiles(event)) event.preventDefault()
      }}
      onDrop={(event) => {
        if (!takes || !hasFiles(event)) return
        event.preventDefault()
        depth.current = 0
        setOver(false)
        // Copied, because they are gone after the event.
        const files = [...(event.dataTransfer?.files ?? [])]
        import('./draft-uploads.ts').then(({ attach }) => attach(conversation.id, files), sayError)
      }}
    >
      {children}
      {isOver && (
        <p class="drop-here">
          <Icon name="clip" />
          Drop the files to attach them
        </p>
      )}
    </div>
  )
}
