// npm run operator: manages operators and workspaces from the command line.
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { loadSettings } from '../../platform/config/config.ts'
import { readDevFile } from '../../platform/config/dev-file.ts'
import { connectPool } from '../../platform/postgres/sql.ts'
import { CommandRefused, runCommand } from '../../platform/process/command.ts'
import { createToken } from '../random-token.ts'
import type { SecretBox } from '../secret-box.ts'
import { operatorUsage, runOperatorCommand } from './operator-commands.ts'
import { processSecrets } from './secrets.ts'

const options = {
  name: { type: 'string' },
  waba: { type: 'string' },
  force: { type: 'boolean', default: false },
  'platform-owner': { type: 'boolean', default: false },
  'password-stdin': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** The database from the settings, or the database of a running `npm start`. */
function databaseUrl(): string {
  const { DATABASE_URL, DATA_DIR } = loadSettings()
  const url = DATABASE_URL ?? readDevFile(DATA_DIR)?.databaseUrl
  if (url === undefined) throw new CommandRefused('set DATABASE_URL, or run npm start first')
  return url
}

/** Never a key made for development: with it, reseal could only find that it opens nothing. */
function configuredSecrets(): SecretBox {
  const settings = loadSettings()
  if (settings.SECRETS_KEY === undefined && readDevFile(settings.DATA_DIR) === undefined)
    throw new CommandRefused('set SECRETS_KEY, as the gateways have it')
  return processSecrets(settings).box
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (values.help || positionals.length === 0) throw new CommandRefused(operatorUsage)
  const sql = connectPool({ url: databaseUrl(), max: 1, name: 'operator' })
  try {
    const lines = await runOperatorCommand(
      { sql, makePassword: () => createToken(18), secrets: configuredSecrets },
      {
        words: positionals,
        name: values.name,
        waba: values.waba,
        platformOwner: values['platform-owner'],
        force: values.force,
        password: values['password-stdin'] ? (await text(process.stdin)).replace(/\r?\n$/, '') : undefined,
      },
    )
    for (const line of lines) process.stdout.write(`${line}\n`)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

await runCommand(main)
