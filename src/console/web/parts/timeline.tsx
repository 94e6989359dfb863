import type { ComponentChildren } from 'preact'
import { clock, exact } from '../core/format.ts'
import type { Tone } from './badge.tsx'

export interface Moment {
  readonly at: string
  readonly title: ComponentChildren
  readonly tone?: Tone
  readonly body?: ComponentChildren
}

/** Events in order, with times to the millisecond. */
export const Timeline = ({ moments }: { readonly moments: readonly Moment[] }) => (
  <ol class="timeline">
    {moments.map(({ at, title, tone = 'neutral', body }, index) => (
      <li key={`${at}-${index}`} class={tone}>
        <div class="moment">
          <strong>{title}</strong>
          <time dateTime={at} title={exact(at)}>
            {clock(at)}
          </time>
        </div>
        {body}
      </li>
    ))}
  </ol>
)
