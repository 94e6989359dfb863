import type { PageProps } from '../../core/page-props.ts'
import { TemplateForm } from './form.tsx'
import { TemplateList } from './list.tsx'
import { TemplatePage } from './template.tsx'

/** Instead of an id: opens the form for a new template. */
const NEW = 'new'

export function Page({ id }: PageProps) {
  if (id === undefined) return <TemplateList />
  return id === NEW ? <TemplateForm /> : <TemplatePage key={id} id={id} />
}
