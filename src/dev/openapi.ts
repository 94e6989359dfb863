// npm run openapi: writes test/fixtures/openapi.json anew, from the table.
import { writeFileSync } from 'node:fs'
import { documentText } from '../api/openapi/document.ts'

writeFileSync(new URL('../../test/fixtures/openapi.json', import.meta.url), documentText())
