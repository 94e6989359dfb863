import type { PageProps } from '../../pages.ts'
import { TemplateForm } from './form.tsx'
import { TemplateList } from './list.tsx'
import { TemplatePage } from './template.tsx'

/** In the place of an id: the form for a new one. */
const NEW = 'new'

export function Page({ id }: PageProps) {
  if (id === undefined) return <TemplateList />
  return id === NEW ? <TemplateForm /> : <TemplatePage key={id} id={id} />
}
