import { PageHeader } from '../parts/page-header.tsx'
import { EmptyState } from '../parts/states.tsx'

/** Says plainly that a page is not there yet. */
export const Unbuilt = ({ title }: { readonly title: string }) => (
  <>
    <PageHeader title={title} />
    <EmptyState icon="screen" title="This page is not part of the console yet">
      Until it is, the public API and the console’s JSON show the same; the reference at /docs says how.
    </EmptyState>
  </>
)
