import type { ComponentChildren } from 'preact'
import { clock, exact, logged } from '../core/format.ts'
import type { Tone } from './badge.tsx'

export interface Moment {
  readonly at: string
  readonly title: ComponentChildren
  readonly tone?: Tone
  readonly body?: ComponentChildren
}

interface Props {
  readonly moments: readonly Moment[]
  /** They may lie days apart. */
  readonly isDated?: boolean
}

/** Events in order, with times to the millisecond. */
export const Timeline = ({ moments, isDated = false }: Props) => (
  <ol class="timeline">
    {moments.map(({ at, title, tone = 'neutral', body }, index) => (
      <li key={`${at}-${index}`} class={tone}>
        <div class="moment">
          <strong>{title}</strong>
          <time dateTime={at} title={exact(at)}>
            {isDated ? logged(at) : clock(at)}
          </time>
        </div>
        {body}
      </li>
    ))}
  </ol>
)
