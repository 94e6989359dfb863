import type { ComponentChildren } from 'preact'

export type Tone = 'neutral' | 'good' | 'bad' | 'warn' | 'info'

/** A state in a word; the dot has its colour, the word its meaning. */
export const Badge = ({
  tone = 'neutral',
  children,
}: {
  readonly tone?: Tone
  readonly children: ComponentChildren
}) => <span class={`badge ${tone}`}>{children}</span>

export const Tag = ({ children }: { readonly children: ComponentChildren }) => (
  <span class="tag">{children}</span>
)
