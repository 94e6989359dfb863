// Moving every sealed secret to the first key, on the rows that hold them.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { runOperatorCommand } from '../../../src/accounts/host/operator-commands.ts'
import { resealAll } from '../../../src/accounts/reseal.ts'
import { createSecretBox, type SecretBox } from '../../../src/accounts/secret-box.ts'
import { createSealedSecretStore, sealedColumns } from '../../../src/accounts/store/sealed-secrets.store.ts'
import { newId } from '../../../src/shared/ids.ts'
import { beforeEach, describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const database = await testDatabase()
const sql = testPool(database)
const store = createSealedSecretStore(sql)
const [old, fresh, lost] = ['old', 'new', 'lost'].map((id) => ({ id, bytes: randomBytes(32) }))
if (!old || !fresh || !lost) throw new Error('three keys')
const [oldBox, both, freshBox] = [
  createSecretBox([old]),
  createSecretBox([fresh, old]),
  createSecretBox([fresh]),
]

/** Writes the rows of `count` endpoints, and one other of each kind, sealed by `box`. */
async function seed(box: SecretBox, count: number): Promise<void> {
  const workspaceId = newId('workspace')
  await sql`insert into workspaces (id, name, provider_token) values (${workspaceId}, 'W', ${box.seal('provider')})`
  await sql`
    insert into operators (id, email, name, password_hash, totp_seed)
    values (${newId('operator')}, ${`${workspaceId}@example.com`}, 'O', 'none', ${box.seal('totp')})`
  const ids = Array.from({ length: count }, () => newId('endpoint'))
  await sql`
    insert into endpoints (id, workspace_id, name, url, events, secret, previous_secret, previous_secret_until)
    select id, ${workspaceId}, 'E', 'https://e.example', '{}', decode(secret, 'hex'), decode(previous, 'hex'), now()
    from unnest(${ids}::uuid[], ${ids.map((id) => box.seal(`now ${id}`).toString('hex'))}::text[],
      ${ids.map((id) => box.seal(`before ${id}`).toString('hex'))}::text[]) as one (id, secret, previous)`
}

const secrets = async (box: SecretBox): Promise<string[]> => {
  const rows = await sql<{ sealed: Buffer }[]>`
    select secret as sealed from endpoints union all select previous_secret from endpoints
    union all select provider_token from workspaces union all select totp_seed from operators`
  return rows.map(({ sealed }) => box.open(sealed)).sort()
}

const reseal = () =>
  runOperatorCommand(
    { sql, makePassword: () => '', secrets: () => both },
    {
      words: ['reseal'],
      name: undefined,
      waba: undefined,
      platformOwner: false,
      force: false,
      password: undefined,
    },
  )

describe('reseal', () => {
  beforeEach(() => sql`truncate workspaces, operators cascade`)

  test('every column with sealed secrets is known', async () => {
    const columns = await sql<{ tableName: string; columnName: string }[]>`
      select c.relname as table_name, a.attname as column_name
      from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and a.atttypid = 'bytea'::regtype and not a.attisdropped
        and a.attname !~ '(^|_)hash$' and a.attname !~ '^(body|.*response_body)$'
        and a.attname not in ('fingerprint', 'pair', 'digest')`
    const named = columns.map(({ tableName, columnName }) => `${tableName}.${columnName}`)
    assert.deepEqual(named.sort(), sealedColumns.map(({ table, column }) => `${table}.${column}`).sort())
  })

  test('moves every secret to the first key, batch by batch, and then the old key can go', async () => {
    await seed(oldBox, 450)
    const before = await secrets(oldBox)
    assert.equal(before.length, 902)
    assert.deepEqual(await reseal(), [
      'sealed 902 of 902 secrets again',
      'the first key of SECRETS_KEY opens everything: the others can go',
    ])
    assert.deepEqual(await secrets(freshBox), before)
    assert.match((await reseal())[0] ?? '', /^sealed 0 of 902/)
    // It is the same second factor: whoever is proving it goes on.
    assert.deepEqual(
      [...(await sql`select distinct totp_generation from operators`)],
      [{ totpGeneration: 0 }],
    )
  })

  test('goes on where it was stopped', async () => {
    await seed(oldBox, 450)
    let batches = 0
    const stopped = {
      columns: sealedColumns,
      list: store.list,
      replace: async (...given: Parameters<typeof store.replace>) => {
        batches += 1
        if (batches === 3) throw new Error('stopped')
        assert.ok(given[1].length <= 200, 'a batch is bounded')
        return store.replace(...given)
      },
    }
    await assert.rejects(resealAll(stopped, both), /stopped/)
    assert.equal((await secrets(both)).length, 902)
    assert.match((await reseal())[0] ?? '', /^sealed 502 of 902/)
  })

  test('says how many are still sealed by another key, and leaves alone what changed meanwhile', async () => {
    await seed(oldBox, 1)
    const rotated = {
      columns: sealedColumns,
      list: store.list,
      async replace(...given: Parameters<typeof store.replace>) {
        if (given[0].column === 'secret') await sql`update endpoints set secret = ${oldBox.seal('rotated')}`
        return store.replace(...given)
      },
    }
    const report = await resealAll(rotated, both)
    assert.deepEqual(
      { ...report, unopened: report.unopened.size },
      { total: 4, moved: 3, left: 1, unopened: 0 },
    )
    assert.ok((await secrets(both)).includes('rotated'))
  })

  test('refuses to let keys go while a secret is opened by none', async () => {
    await seed(createSecretBox([lost]), 1)
    await assert.rejects(reseal(), (error: Error) => {
      assert.match(
        error.message,
        /^sealed 0 of 4 secrets again\n4 sealed under key id "lost" are opened by no key here/,
      )
      assert.match(error.message, /keep every key/)
      return true
    })
  })

  test('the command itself takes the keys from the settings', async () => {
    await seed(oldBox, 1)
    const keyOf = ({ id, bytes }: { id: string; bytes: Buffer }) => `${id}:${bytes.toString('hex')}`
    const asked = (env: Record<string, string>) =>
      new Promise<{ failed: boolean; out: string }>((resolve) => {
        execFile(
          process.execPath,
          ['--import', 'tsx', 'src/accounts/host/operator-main.ts', 'reseal'],
          {
            cwd: root,
            env: { PATH: process.env['PATH'], DATABASE_URL: database.url, DATA_DIR: '/nowhere', ...env },
          },
          (error, stdout, stderr) => resolve({ failed: error !== null, out: stdout + stderr }),
        )
      })
    const without = await asked({})
    assert.deepEqual([without.failed, /set SECRETS_KEY/.test(without.out)], [true, true], without.out)
    const wrong = await asked({ SECRETS_KEY: keyOf(fresh) })
    assert.deepEqual([wrong.failed, /keep every key/.test(wrong.out)], [true, true], wrong.out)
    const right = await asked({ SECRETS_KEY: `${keyOf(fresh)},${keyOf(old)}` })
    assert.deepEqual([right.failed, /the others can go/.test(right.out)], [false, true], right.out)
  })
})
