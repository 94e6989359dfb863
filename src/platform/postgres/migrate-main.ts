// npm run migrate: brings the schema up to date and exits. Every process does the same at its start. Use this
// command to migrate before a release starts its processes, or with another database role than theirs.
import { answerVersion } from '../../shared/version.ts'
import { ConfigError, loadSettings, requireSettings } from '../config/config.ts'
import { migrateAt } from './migrate.ts'

answerVersion()

try {
  const { DATABASE_URL } = requireSettings(loadSettings(), ['DATABASE_URL'])
  const applied = await migrateAt(DATABASE_URL, {
    onWait: ({ migration, waitedMs }) =>
      process.stderr.write(`waiting for ${migration} for ${Math.round(waitedMs / 1_000)} s\n`),
  })
  process.stdout.write(`${applied.length === 0 ? 'the schema is up to date' : applied.join('\n')}\n`)
} catch (error) {
  const isPlain = error instanceof ConfigError
  process.stderr.write(`${isPlain ? error.message : `the schema was not migrated: ${String(error)}`}\n`)
  process.exitCode = 1
}
