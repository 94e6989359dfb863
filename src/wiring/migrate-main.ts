// npm run migrate: brings the schema up to date and ends. The processes do the same when they start.
import { ConfigError, loadSettings, requireSettings } from '../config/config.ts'
import { migrate } from '../store/migrate.ts'
import { connectPool } from '../store/sql.ts'

try {
  const { DATABASE_URL: url } = requireSettings(loadSettings(), ['DATABASE_URL'])
  const pool = connectPool({ url, max: 1, name: 'switchboard-migrate' })
  const applied = await migrate(pool).finally(() => pool.end())
  process.stdout.write(applied.length === 0 ? 'nothing to apply\n' : `applied ${applied.join(', ')}\n`)
} catch (error) {
  const text = error instanceof ConfigError ? error.message : `the migration failed: ${String(error)}`
  process.stderr.write(`${text}\n`)
  process.exit(1)
}
