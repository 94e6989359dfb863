// What a customer sees of a template, and which templates fit what somebody searches for. Pure.
import type { TemplateRecord } from '../../../../contract/records/catalog.ts'

interface Component {
  readonly type?: string
  readonly format?: string
  readonly text?: string
  readonly buttons?: readonly { readonly text?: string }[]
}

export interface ShownParts {
  readonly headerFormat: string | undefined
  readonly header: string | undefined
  readonly body: string
  readonly footer: string | undefined
  readonly buttons: readonly string[]
}

type Shown = Pick<TemplateRecord, 'components'>

export function shownParts({ components }: Shown): ShownParts {
  const all = components as readonly Component[]
  const of = (type: string) => all.find((component) => component.type?.toUpperCase() === type)
  const header = of('HEADER')
  return {
    headerFormat: header?.format?.toUpperCase(),
    header: header?.text,
    body: of('BODY')?.text ?? '',
    footer: of('FOOTER')?.text,
    buttons: of('BUTTONS')?.buttons?.flatMap(({ text }) => text ?? []) ?? [],
  }
}

const textOf = (template: TemplateRecord): string => {
  const { header, body, footer, buttons } = shownParts(template)
  const { name, language, category } = template
  return [name, name.replaceAll('_', ' '), language, category, header, body, footer, ...buttons]
    .join(' ')
    .toLowerCase()
}

/** Those that can be sent and have all the words; first those whose name begins so. */
export function fittingTemplates(all: readonly TemplateRecord[], text: string): readonly TemplateRecord[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const sendable = all.filter(({ unsupported }) => unsupported.length === 0)
  const found = sendable.filter((template) => {
    const within = textOf(template)
    return words.every((word) => within.includes(word))
  })
  const begins = ({ name }: TemplateRecord) => (name.startsWith(words.join('_')) ? 0 : 1)
  return found.toSorted((one, other) => begins(one) - begins(other) || one.name.localeCompare(other.name))
}
