// Fills the variables of a template in.
const placeholder = /\{\{\s*(\w+)\s*\}\}/g

const textParts = (components) =>
  components.filter(
    ({ type, format, text }) => text && (type === 'BODY' || (type === 'HEADER' && format === 'TEXT')),
  )

/** Header and body as one text. */
export const textOf = ({ components }, variables) =>
  textParts(components)
    .map(({ text }) => text.replaceAll(placeholder, (_, name) => variables[name] ?? ''))
    .join('\n')

/** The parameters in the provider's form. */
export const componentsOf = ({ components, is_named: isNamed }, variables) =>
  textParts(components).flatMap(({ type, text }) => {
    const parameters = [...text.matchAll(placeholder)].map(([, name]) => ({
      type: 'text',
      ...(isNamed && { parameter_name: name }),
      text: variables[name] ?? '',
    }))
    return parameters.length === 0 ? [] : [{ type: type.toLowerCase(), parameters }]
  })
