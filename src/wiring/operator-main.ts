// npm run operator: creates and resets operators from the command line.
import { randomBytes } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { ConfigError, loadSettings } from '../config/config.ts'
import { readDevFile } from '../dev/demo.ts'
import { connectPool } from '../store/sql.ts'
import { CommandRefused, operatorUsage, runOperatorCommand } from './operator-commands.ts'

const options = {
  name: { type: 'string' },
  waba: { type: 'string' },
  'platform-owner': { type: 'boolean', default: false },
  'password-stdin': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

/** The database of the settings, or that of a running `npm start`. */
function databaseUrl(): string {
  const { DATABASE_URL, DATA_DIR } = loadSettings()
  const url = DATABASE_URL ?? readDevFile(DATA_DIR)?.databaseUrl
  if (url === undefined) throw new CommandRefused('set DATABASE_URL, or run npm start first')
  return url
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  if (values.help || positionals.length === 0) throw new CommandRefused(operatorUsage)
  const sql = connectPool({ url: databaseUrl(), max: 1, name: 'operator' })
  try {
    const lines = await runOperatorCommand(
      { sql, makePassword: () => randomBytes(18).toString('base64url') },
      {
        words: positionals,
        name: values.name,
        waba: values.waba,
        platformOwner: values['platform-owner'],
        password: values['password-stdin'] ? (await text(process.stdin)).replace(/\r?\n$/, '') : undefined,
      },
    )
    for (const line of lines) process.stdout.write(`${line}\n`)
  } finally {
    await sql.end({ timeout: 1 })
  }
}

/** What a person can put right; anything else is worth its stack. */
const isPlain = (error: unknown): error is Error =>
  error instanceof CommandRefused ||
  error instanceof ConfigError ||
  (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))

try {
  await main()
} catch (error) {
  process.exitCode = 1
  process.stderr.write(`${isPlain(error) ? error.message : String((error as Error)?.stack ?? error)}\n`)
}
