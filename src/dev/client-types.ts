// Generates the TypeScript types of a client from the OpenAPI document, as an API user would.
import { register } from 'node:module'

// openapi-typescript needs the old compiler API, which TypeScript 7 lacks. @ts-morph/common contains it.
const former = `import { createRequire } from 'node:module'
export default createRequire(${JSON.stringify(import.meta.url)})('@ts-morph/common').ts`

const hooks = `export const resolve = (name, context, next) =>
  name === 'typescript' && context.parentURL?.includes('/openapi-typescript/')
    ? { url: ${JSON.stringify(dataUrl(former))}, shortCircuit: true }
    : next(name, context)`

function dataUrl(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`
}

export async function clientTypes(document: string): Promise<string> {
  register(dataUrl(hooks))
  const { default: generate, astToString } = await import('openapi-typescript')
  type Source = Parameters<typeof generate>[0]
  return astToString(await generate(document as Source))
}
