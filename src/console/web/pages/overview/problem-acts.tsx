// What is done about a problem without leaving the overview, each after a confirmation that says what follows.
import type { ComponentChildren } from 'preact'
import type { Attention } from '../../../../contract/records/overview.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { plural } from '../../core/format.ts'
import { say } from '../../core/toasts.ts'
import { Confirm } from '../../parts/dialog.tsx'
import { type Act, CAP, capped } from './problem-words.ts'

interface Props {
  readonly act: Act
  readonly problem: Attention
  onClose(): void
  onDone(): void
}

interface Asked {
  readonly title: string
  readonly action: string
  readonly isDangerous?: boolean
  readonly text: ComponentChildren
  /** Resolves with what is said when it is done. */
  work(): Promise<string>
}

export function ActDialog({ act, problem, onClose, onDone }: Props) {
  const { title, action, text, work, isDangerous = false } = askedOf(act, problem)
  return (
    <Confirm
      title={title}
      action={action}
      look={isDangerous ? 'danger' : 'primary'}
      work={async () => say(await work())}
      onDone={onDone}
      onClose={onClose}
    >
      <p>{text}</p>
    </Confirm>
  )
}

function askedOf({ type }: Act, problem: Attention): Asked {
  const { id, name } = problem.subject
  const endpoint = inWorkspace(`/endpoints/${id}`)
  const held = 'held' in problem.facts ? problem.facts.held : 0
  const many = held >= CAP ? 'all held deliveries' : plural(held, 'delivery', 'deliveries')
  switch (type) {
    case 'turnOn':
      return {
        title: `Turn on ${name}?`,
        action: 'Turn on',
        text:
          held === 0
            ? 'New events are sent again, and the count of failures begins at 0.'
            : `New events are sent again, and the count of failures begins at 0. What is held stays so (${capped(held)}): you choose afterwards whether to replay or to discard them.`,
        work: async () => {
          await api.post(`${endpoint}/enable`)
          return `${name} is on.`
        },
      }
    case 'replay':
      return {
        title: `Replay ${many}?`,
        action: `Replay ${many}`,
        text: `They are sent to ${name} in their order.`,
        work: async () => {
          const { count } = await api.post<{ count: number }>(`${endpoint}/replay`, { states: ['HELD'] })
          return `${plural(count, 'delivery is', 'deliveries are')} on the way.`
        },
      }
    case 'discard':
      return {
        title: `Discard ${many}?`,
        action: `Discard ${many}`,
        isDangerous: true,
        text: 'They are not sent. Each stays in the delivery log and can be replayed there.',
        work: async () => {
          const { count } = await api.post<{ count: number }>(`${endpoint}/discard`, {})
          return `${plural(count, 'delivery', 'deliveries')} discarded.`
        },
      }
    case 'resume':
      return {
        title: `Continue ${name}?`,
        action: 'Continue sending',
        text: `${plural('pending' in problem.facts ? problem.facts.pending : 0, 'recipient gets', 'recipients get')} the message. If what paused it is not over, it pauses again.`,
        work: async () => {
          await api.post(inWorkspace(`/campaigns/${id}/start`))
          return `${name} continues.`
        },
      }
  }
}
