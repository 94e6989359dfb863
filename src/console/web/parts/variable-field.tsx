// The field for one variable of a template: text, or media that is linked or uploaded.
import type { TemplateRecord, TemplateVariable, VariableKind } from '../../../contract/records/catalog.ts'
import { Field } from './field.tsx'
import { MediaField, mediaFormatOf } from './media-field.tsx'

/** Those that a send may or must give. Header and body may have a variable in common: it is one field. */
export const variablesOf = ({ variables, optionalVariables }: TemplateRecord): TemplateVariable[] => [
  ...new Map([...variables, ...optionalVariables].map((variable) => [variable.name, variable])).values(),
]

interface Props {
  readonly template: TemplateRecord
  readonly variable: TemplateVariable
  readonly isOptional?: boolean
  /** The number that sends the message. */
  readonly numberId: string
  readonly value: string
  readonly error: string | undefined
  onChange(value: string): void
}

export function VariableField({ template, variable, isOptional = false, numberId, ...field }: Props) {
  const { name, example, kind } = variable
  const format = kind === 'MEDIA' ? mediaFormatOf(template, name) : undefined
  const hint = [hints[kind], ...(isOptional ? ['May stay empty.'] : [])].filter(Boolean).join(' ')
  if (format) return <MediaField name={name} format={format} numberId={numberId} {...field} />
  const { onChange, ...input } = field
  return (
    <Field
      label={name}
      {...(hint !== '' && { hint })}
      placeholder={example === null ? undefined : `For example ${example}`}
      {...input}
      onInput={onChange}
    />
  )
}

const hints: Readonly<Record<VariableKind, string | undefined>> = {
  TEXT: undefined,
  MEDIA: 'A link, or the id of an uploaded file.',
  FILE_NAME: 'The name of the document.',
  LATITUDE: 'In degrees, such as 38.7.',
  LONGITUDE: 'In degrees, such as -9.1.',
  URL_SUFFIX: 'In the link of a button.',
  CODE: 'The code that a button copies.',
  PAYLOAD: 'Comes back when the button is tapped.',
  MINUTES: 'How long the button works, in minutes.',
  FLOW_TOKEN: 'Comes back with the answer to the flow.',
  JSON: 'A JSON object.',
  TIMESTAMP: 'When the offer ends, such as 2026-12-24T18:00:00Z.',
  PRODUCT_ID: 'A product of your catalog.',
  CATALOG_ID: 'The catalog of the product.',
  PRODUCT_SECTIONS: 'JSON, such as [{"title": "New", "products": ["sku-1"]}].',
}
