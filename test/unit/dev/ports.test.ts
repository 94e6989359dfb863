import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { choosePort, freePort, rememberPort } from '../../../src/dev/embedded/ports.ts'
import { after, describe, test } from '../../support/harness.ts'

const dir = mkdtempSync(join(tmpdir(), 'switchboard-ports-'))
const memory = join(dir, 'a.port')
after(() => rmSync(dir, { recursive: true }))

describe('a port', () => {
  test('is the one of the last start while it is free', async () => {
    const port = await freePort()
    rememberPort(memory, port)
    assert.equal(await choosePort(memory), port)
  })

  test('is another when somebody has taken it meanwhile', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    rememberPort(memory, port)
    const chosen = await choosePort(memory)
    server.close()
    assert.notEqual(chosen, port)
  })

  test('is a new one when what was remembered is no port', async () => {
    writeFileSync(memory, '70000\n')
    assert.ok((await choosePort(memory)) < 65_536)
  })
})
