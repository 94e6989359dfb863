// npm run font: writes the font of all pages, with its licence.
import { writeFile } from 'node:fs/promises'
import { cutFont, fontLicence, fontOrigin } from './font.ts'

const folder = new URL('../web/font/', import.meta.url)
await writeFile(new URL('inter.woff2', folder), await cutFont())
await writeFile(new URL('made-of.txt', folder), `${await fontOrigin()}\n`)
await writeFile(new URL('LICENSE.txt', folder), await fontLicence())
