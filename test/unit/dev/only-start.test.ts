import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../src/dev/embedded/ports.ts'
import { leftBehind } from '../../../src/dev/embedded/postgres-cluster.ts'
import { identifySelf } from '../../../src/dev/embedded/process-table.ts'
import { beTheOnlyStart, ownHost } from '../../../src/dev/only-start.ts'
import { after, describe, test } from '../../support/harness.ts'

const dir = mkdtempSync(join(tmpdir(), 'switchboard-only-start-'))
after(() => rmSync(dir, { recursive: true }))

const settings = async (name: string, more: object = {}) => ({
  DATA_DIR: join(dir, name),
  PORT: await freePort(),
  SIM_PORT: await freePort(),
  ...more,
})

describe('a start', () => {
  test('has its folder alone while it lives', async () => {
    await beTheOnlyStart(await settings('one'))
    const again = beTheOnlyStart(await settings('one'))
    await assert.rejects(again, new RegExp(`already runs in this folder \\(process ${identifySelf().pid}\\)`))
    await beTheOnlyStart(await settings('other'))
  })

  test('listens on this machine only, unless HOST is set', () => {
    assert.deepEqual(
      [{}, { HOST: '' }, { HOST: '0.0.0.0' }].map((environment) => ownHost(environment)),
      ['127.0.0.1', '127.0.0.1', '0.0.0.0'],
    )
  })

  test('takes the folder of one that died', async () => {
    const given = await settings('died')
    mkdirSync(given.DATA_DIR)
    const holder = JSON.stringify({ pid: process.pid, startedAt: 'another life' })
    writeFileSync(join(given.DATA_DIR, 'start.lock.3'), holder)
    await beTheOnlyStart(given)
  })

  test('says which setting moves it away from a port that another program has', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    for (const name of ['PORT', 'SIM_PORT'])
      await assert.rejects(
        beTheOnlyStart(await settings(`port-${name}`, { [name]: port })),
        new RegExp(`another program has port ${port}: set ${name} `),
      )
    server.close()
  })

  test('waits for a gateway that is leaving, and for no other', async () => {
    for (const status of [503, 200]) {
      const server = createHttpServer((_, response) => {
        response.writeHead(status, { connection: 'close' }).end(() => server.close())
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as { port: number }
      const start = beTheOnlyStart(await settings(`leaving-${status}`, { PORT: port }))
      if (status === 503) await start
      else await assert.rejects(start, /another program has port/)
    }
  })

  test('tells what stays of a database of another major version', () => {
    const home = join(dir, 'home')
    for (const name of ['pg-18', 'pg-16', 'pg-17', 'pg-17.new12', 'media'])
      mkdirSync(join(home, name), { recursive: true })
    assert.match(leftBehind(home, 18) ?? '', /^the data of PostgreSQL 17 stays in .*pg-17 /)
    assert.equal(leftBehind(dir, 18), null)
  })
})
