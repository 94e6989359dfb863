// An error of Postgres says in a log what is wrong, and nothing of the values that it was about.
import assert from 'node:assert/strict'
import { createLogger } from '../../../../src/platform/observability/logger.ts'
import { newId } from '../../../../src/shared/ids.ts'
import { test } from '../../../support/harness.ts'
import { testDatabase, testPool } from '../../../support/postgres.ts'

const sql = testPool(await testDatabase())

const failure = (statement: PromiseLike<unknown>): Promise<Error> =>
  Promise.resolve(statement).then(
    () => assert.fail('the statement should fail'),
    (error: Error) => error,
  )

/** The line of this error as a field, as text, and as the cause of another error. */
function lineOf(error: Error): string {
  const lines: string[] = []
  const log = createLogger({ LOG_LEVEL: 'info' }, 'test', { write: (line) => void lines.push(line) })
  log.warn({ err: error, error: String(error), other: new Error('outer', { cause: error }) }, 'it.failed')
  return lines.join('')
}

const operator = (email: string, name = 'Ann') => sql`
  insert into operators (id, email, name, password_hash)
  values (${newId('operator')}, ${email}, ${name}, 'hidden hash')`

await operator('hidden@example.com')
const { id } = { id: newId('workspace') }
await sql`insert into workspaces (id, name) values (${id}, 'Acme')`

const failures = {
  'a duplicate key, whose detail is the key': [() => operator('hidden@example.com'), 'operators_email'],
  'a broken constraint, whose detail is the row': [
    () => sql`
      insert into memberships (workspace_id, operator_id, role)
      select ${id}, id, 'hidden role' from operators`,
    'memberships',
  ],
  'a value of another type, which the message quotes': [
    () => sql.unsafe("select 'hidden value'::uuid"),
    'invalid input syntax for type uuid',
  ],
  'JSON that is none, which detail and context quote': [
    () => sql.unsafe(`select '{"a": hidden}'::jsonb`),
    'invalid input syntax for type json',
  ],
  'a number out of range, which the message quotes': [
    () => sql.unsafe("select 'hidden99999999999'::integer"),
    'invalid input syntax for type integer',
  ],
} as const

for (const [what, [run, says]] of Object.entries(failures))
  test(`${what}: none of it is logged`, async () => {
    const line = lineOf(await failure(run()))
    assert.doesNotMatch(line, /hidden/)
    assert.match(line, new RegExp(says))
    assert.match(line, /"code":"2\w{4}"/)
    assert.match(line, /logged-errors\.test\.ts|postgres/)
  })
