import type { ComponentChildren } from 'preact'

export type Tone = 'neutral' | 'good' | 'bad' | 'warn' | 'info'

/** A state as a word with a coloured dot. The word has the meaning, so nothing depends on the colour. */
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
