import type { ComponentChildren } from 'preact'

export type Fact = readonly [title: string, value: ComponentChildren]

/** The properties of one record, title beside value. */
export const Facts = ({ facts }: { readonly facts: readonly Fact[] }) => (
  <dl class="facts">
    {facts.map(([title, value]) => (
      <div key={title}>
        <dt>{title}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

/** A part of a page with its own heading. */
export const Section = ({
  title,
  actions,
  children,
}: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}) => (
  <section class="section">
    <div class="section-title">
      <h2>{title}</h2>
      {actions}
    </div>
    {children}
  </section>
)
