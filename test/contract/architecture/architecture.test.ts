import assert from 'node:assert/strict'
import { describe, test } from '../../support/harness.ts'
import { fences, roomOf, rooms } from './fences.ts'
import { readSources, toSource } from './sources.ts'

const sources = readSources()

/** A file that breaks the fence of this name, and how the fence reports it. */
const planted: Readonly<Record<keyof typeof fences, { path: string; text: string; found: string }>> = {
  'a room imports only the rooms below it that it may': {
    path: 'src/delivery/planted.ts',
    text: `import type { Outgoing } from '../messaging/ports.ts'`,
    found: 'src/delivery/planted.ts -> src/messaging/ports.ts',
  },
  'the rooms of the platform have an order of their own': {
    path: 'src/platform/http/planted.ts',
    text: `import type { Pool } from '../postgres/sql.ts'`,
    found: 'src/platform/http/planted.ts -> src/platform/postgres/sql.ts',
  },
  'in a feature rules do no I/O, and only its module knows all of its parts': {
    path: 'src/calls/planted.ts',
    text: `import { createCallsStore } from './store/calls.store.ts'`,
    found: 'src/calls/planted.ts -> src/calls/store/calls.store.ts',
  },
  'rules know other features through the ports that they declare': {
    path: 'src/campaigns/planted.ts',
    text: `import type { SendVerdict } from '../messaging/send-policy.ts'`,
    found: 'src/campaigns/planted.ts -> src/messaging/send-policy.ts',
  },
  'edges do not reach into the rows of a feature': {
    path: 'src/console/planted.ts',
    text: `import { createMessageReader } from '../messaging/store/messages-read.store.ts'`,
    found: 'src/console/planted.ts -> src/messaging/store/messages-read.store.ts',
  },
  'production imports no test, bench, simulator or development start': {
    path: 'src/gateway/planted.ts',
    text: `import { seedWorkspace } from '../dev/seed.ts'`,
    found: 'src/gateway/planted.ts -> src/dev/seed.ts',
  },
  'pages import nothing but types of what runs in servers': {
    path: 'src/console/web/planted.ts',
    text: `import { scopes } from '../../contract/scopes.ts'`,
    found: 'src/console/web/planted.ts',
  },
  'no file imports itself by way of others': {
    path: 'src/shared/machine.ts',
    text: `import type { Fragment } from '../platform/postgres/states.ts'`,
    found: 'src/shared/machine.ts -> src/platform/postgres/states.ts -> src/shared/machine.ts',
  },
  'a package is imported only where it belongs': {
    path: 'src/calls/store/planted.ts',
    text: `import postgres from 'postgres'`,
    found: 'src/calls/store/planted.ts -> postgres',
  },
  'the environment is read in one place, and by what starts processes': {
    path: 'src/calls/planted.ts',
    text: 'export const port = process.env.PORT',
    found: 'src/calls/planted.ts',
  },
}

describe('what may import what', () => {
  test('is judged on all of the code', () => {
    const imports = sources.reduce((sum, { ours, packages }) => sum + ours.length + packages.length, 0)
    assert.ok(sources.length >= 480, `only ${sources.length} files were seen`)
    assert.ok(imports >= 2_000, `only ${imports} imports were seen`)
    for (const { path } of sources) assert.ok(roomOf(path) in rooms, `${path}: its room has no fence`)
  })

  test('every room is below the rooms that import it', () => {
    const order = Object.keys(rooms)
    for (const [room, below] of Object.entries(rooms))
      for (const target of below)
        assert.ok(target === '*' || order.indexOf(target) > order.indexOf(room), `${room} -> ${target}`)
  })

  for (const [name, fence] of Object.entries(fences)) {
    test(`${name}, types included`, () => assert.deepEqual(fence(sources), []))

    test(`${name}: a planted violation is found`, () => {
      const { path, text, found } = planted[name as keyof typeof fences]
      const others = sources.filter((source) => source.path !== path)
      assert.deepEqual(fence([...others, toSource(path, text)]), [found])
    })
  }
})

test('composition is small: gateway and workers have under 700 lines together', () => {
  const lines = sources
    .filter(({ path }) => ['gateway', 'workers'].includes(roomOf(path)))
    .reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
  assert.ok(lines < 700, `${lines} lines`)
})
