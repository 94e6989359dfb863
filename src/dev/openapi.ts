// npm run openapi: regenerates the OpenAPI document and the client types that are generated from it.
import { writeFileSync } from 'node:fs'
import { documentText } from '../api/openapi/document.ts'
import { clientTypes } from './client-types.ts'

const write = (name: string, text: string) =>
  writeFileSync(new URL(`../../test/fixtures/${name}`, import.meta.url), text)

write('openapi.json', documentText())
write('client-types.ts', await clientTypes(documentText()))
