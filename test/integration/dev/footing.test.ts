import assert from 'node:assert/strict'
import { chownSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '../../../src/dev/embedded/postgres.ts'
import { findPostgres } from '../../../src/dev/embedded/postgres-binaries.ts'
import { elsewhere, type FootingWay, findFooting } from '../../../src/dev/embedded/postgres-footing.ts'
import { connectPool } from '../../../src/platform/postgres/sql.ts'
import { after, describe, test } from '../../support/harness.ts'
import { isRoot, kill, NOBODY, startOwner, temporaryFolder } from './owner-process.ts'

const asRoot = { skip: isRoot ? false : 'only root has to look for another user' }

async function answers(url: string): Promise<unknown> {
  const sql = connectPool({ url, max: 1, name: 'test' })
  try {
    const [row] = await sql`select lower('ÉÀÖ') as lower, current_setting('fsync') as fsync`
    return row
  } finally {
    await sql.end()
  }
}

describe('the footing of PostgreSQL', () => {
  test('root runs it as itself in a namespace below a folder that is closed to others', asRoot, async () => {
    const dataDir = join(temporaryFolder('private'), 'data')
    mkdirSync(join(dataDir, 'pg-15'), { recursive: true })
    const log: string[] = []
    const server = await startPostgres({ dataDir, mode: 'test', onLog: (line) => log.push(line) })
    assert.match(log[0] ?? '', /run as (namespace|elsewhere)$/)
    assert.deepEqual(await answers(server.url), { lower: 'éàö', fsync: 'off' })
    await server.stop()
    if (log[0]?.endsWith('namespace')) {
      assert.equal(statSync(join(dataDir, 'pg-18')).uid, 0)
      const left = log.find((line) => line.includes(join(dataDir, 'pg-15')))
      assert.match(left ?? '', /^the data of PostgreSQL 15 stays in .* POSTGRES_BIN_DIR .*pg_dump/)
    }
  })

  test('root moves it to where nobody can reach it when namespaces are refused too', asRoot, async () => {
    const dataDir = join(temporaryFolder('private'), 'data')
    mkdirSync(dataDir)
    const footing = await findFooting(await findPostgres({ dataDir }), dataDir, [elsewhere])
    after(() => rmSync(footing.home, { recursive: true, force: true }))
    assert.deepEqual(footing.identity, { uid: NOBODY, gid: NOBODY })
    assert.match(footing.home, /^\/var\/tmp\/switchboard-/)
    assert.equal(statSync(footing.home).uid, 0)
  })

  test('root is told every way that was tried when none works', asRoot, async () => {
    const dataDir = temporaryFolder()
    const refused =
      (name: string): FootingWay =>
      () => ({
        name,
        find: () => {
          throw new Error(`${name} is refused`)
        },
      })
    const search = findFooting(await findPostgres({ dataDir }), dataDir, [
      refused('first'),
      refused('second'),
    ])
    await assert.rejects(
      search,
      /first: first is refused\n {2}second: second is refused\nStart as a plain user/,
    )
  })

  test('a plain user runs it as itself, with the flush to disk on in development', async (t) => {
    const dataDir = join(temporaryFolder(), 'data')
    mkdirSync(dataDir, { mode: 0o777 })
    if (isRoot) chownSync(dataDir, NOBODY, NOBODY)
    if (isRoot && !isOpenToOthers())
      return t.skip('this checkout lies below a folder that other users cannot enter')
    const owner = await startOwner({ kinds: ['postgres'], dataDir, ...(isRoot ? { uid: NOBODY } : {}) })
    assert.match(owner.log[0] ?? '', /run as self$/)
    assert.deepEqual(await answers(owner.servers[0]?.url ?? ''), { lower: 'éàö', fsync: 'on' })
    await kill(owner, 'SIGTERM')
  })
})

function isOpenToOthers(): boolean {
  let dir = fileURLToPath(new URL('.', import.meta.url))
  for (; dir !== '/'; dir = join(dir, '..')) if ((statSync(dir).mode & 0o001) === 0) return false
  return true
}
