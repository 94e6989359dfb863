// npm run openapi: writes the document of the API, and the types of a client made from it, anew.
import { writeFileSync } from 'node:fs'
import { documentText } from '../api/openapi/document.ts'
import { clientTypes } from './client-types.ts'

const write = (name: string, text: string) =>
  writeFileSync(new URL(`../../test/fixtures/${name}`, import.meta.url), text)

write('openapi.json', documentText())
write('client-types.ts', await clientTypes(documentText()))
