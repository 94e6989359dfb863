// npm run migrate: brings the schema up to date and ends. Every process does the same at its start; this is for a
// release that changes the database before, or with another role than, the processes that serve.
import { ConfigError, loadSettings, requireSettings } from '../config/config.ts'
import { migrate } from '../store/migrate.ts'
import { connectPool } from '../store/sql.ts'

try {
  const { DATABASE_URL } = requireSettings(loadSettings(), ['DATABASE_URL'])
  const sql = connectPool({ url: DATABASE_URL, max: 1, name: 'switchboard-migrate' })
  try {
    const applied = await migrate(sql)
    process.stdout.write(`${applied.length === 0 ? 'the schema is up to date' : applied.join('\n')}\n`)
  } finally {
    await sql.end({ timeout: 2 })
  }
} catch (error) {
  const isPlain = error instanceof ConfigError
  process.stderr.write(`${isPlain ? error.message : `the schema was not migrated: ${String(error)}`}\n`)
  process.exitCode = 1
}
