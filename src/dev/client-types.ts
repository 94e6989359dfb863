// The types of a client in TypeScript, generated from the document of the API as any caller would.
import { register } from 'node:module'

// The generator prints through the compiler's former API, which TypeScript 7 no longer has; another package carries it.
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
