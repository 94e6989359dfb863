// The form that sends a request for an operation. It stays hidden without JavaScript: only the script can
// send the key.
import { escaped } from './html.ts'
import { exampleOf, firstBody, type Operation, type Parameter, type Place } from './operation.ts'

export function tryForm(operation: Operation, { method, path }: Place): string {
  const { operationId, parameters = [], requestBody } = operation
  // A map has no field: its parameters have names of their own.
  const single = parameters.filter(({ schema }) => schema['type'] !== 'object')
  const fields = single.map((parameter) => field(parameter, operationId)).join('\n')
  const body = firstBody(operation)
  const takesFile = requestBody?.content['multipart/form-data'] !== undefined
  return `<form class="try" data-method="${method}" data-path="${escaped(path)}" hidden>
<h4>Try it</h4>
${fields}
${body === undefined ? '' : bodyField(operationId, body)}
${takesFile ? fileField(operationId) : ''}
<p><button type="submit">Send</button> <span class="note">to this gateway, with the key above</span></p>
<pre class="answer" tabindex="0" aria-live="polite" hidden></pre>
</form>`
}

function field(parameter: Parameter, operationId: string): string {
  const { name, in: place, required } = parameter
  const id = `${operationId}-${name}`
  const hint = place === 'path' ? ` placeholder="${exampleOf(parameter)}"` : ''
  return `<p><label for="${id}">${escaped(name)}</label> <input id="${id}" name="${escaped(name)}" data-in="${place}"${hint}${required ? ' required' : ''} autocomplete="off"></p>`
}

/** A form has one field: the file. */
const fileField = (operationId: string): string =>
  `<p><label for="${operationId}-file">file</label> <input id="${operationId}-file" name="file" type="file" required></p>`

const bodyField = (operationId: string, body: unknown): string =>
  `<p><label for="${operationId}-body">Body</label> <textarea id="${operationId}-body" name="body" rows="10" spellcheck="false">${escaped(JSON.stringify(body, null, 2))}</textarea></p>`
