// A caller can get every error code of the catalogue: each is provoked at a running gateway.
import assert from 'node:assert/strict'
import { type ErrorCode, errorCatalog } from '../../src/contract/errors.ts'
import { assertDocumented } from '../support/documented.ts'
import { after, before } from '../support/harness.ts'
import { assertRefused, send } from './hostile-client.ts'
import { type HostileWorld, openHostileWorld } from './hostile-world.ts'
import { provocations } from './provocations.ts'
import { MAX_REQUESTS, type Provoked } from './provoking.ts'
import { scenario } from './scene.ts'

let world: HostileWorld
before(async () => {
  world = await openHostileWorld({ MAX_REQUESTS: String(MAX_REQUESTS), UPLOAD_GRACE: '2s' })
})
after(() => world?.stack.stop())

const step = (title: string, work: () => Promise<void>) => scenario(title, () => world.stack, work)

function assertProvoked(code: ErrorCode, { edge, ask, told }: Provoked): void {
  assertRefused(told, `${errorCatalog[code].status} ${code}`)
  if (edge === 'console') return
  assertDocumented({
    ...{ method: ask.method ?? 'GET', path: ask.path, status: told.status, body: told.json },
    header: (name) => told.headers[name]?.toString(),
  })
}

step('no code of the catalogue is without its provocation', async () => {
  assert.deepEqual(Object.keys(provocations).sort(), Object.keys(errorCatalog).sort())
})

for (const code of Object.keys(errorCatalog) as ErrorCode[])
  step(`${code} is answered with its status, in the documented form`, async () =>
    assertProvoked(code, await provocations[code](world)),
  )

step('after all of them the gateway serves', async () => {
  const headers = { 'x-api-key': world.stack.key }
  assert.equal((await send(world.origin, { path: '/api/v1/templates', headers })).status, 200)
  assert.ok(world.stack.gateway(0).process.isRunning)
})
