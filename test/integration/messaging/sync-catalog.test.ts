// What one account has stops no other, and a list of the provider is taken as it comes.
import assert from 'node:assert/strict'
import type { ProviderNumber, ProviderTemplate } from '../../../src/contract/provider.ts'
import { createCatalogRefresh } from '../../../src/messaging/host/refresh-catalog.ts'
import { type CatalogSync, type SyncScope, syncCatalog } from '../../../src/messaging/host/sync-catalog.ts'
import { createCatalogSyncStore } from '../../../src/messaging/store/catalog-sync.store.ts'
import { createTemplateStore } from '../../../src/messaging/store/templates.store.ts'
import type { WorkspaceId } from '../../../src/shared/ids.ts'
import { beforeEach, describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addTenant, type Tenant } from '../../support/rows.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'

const sql = testPool(await testDatabase())
const templates = createTemplateStore(sql)

interface Catalog {
  numbers: ProviderNumber[]
  templates: ProviderTemplate[]
}

/** What the provider lists for each workspace. */
const catalogs = new Map<string, Catalog>()
const logged: { event: string; workspaceId?: string; phoneNumberIds?: string[] }[] = []

function sync(upsert = templates.upsert, scope: SyncScope = {}) {
  logged.length = 0
  const note = (fields: object, event: string) => logged.push({ ...fields, event })
  const listed = <K extends keyof Catalog>(workspaceId: string, list: K) => {
    const value = catalogs.get(workspaceId)?.[list]
    assert.ok(value)
    return { type: 'ok', value } as { type: 'ok'; value: Catalog[K] }
  }
  const parts: CatalogSync = {
    store: createCatalogSyncStore(sql, { defaultToken: 'token' } as never),
    templates: { upsert },
    provider: {
      listNumbers: async ({ workspaceId }) => listed(workspaceId, 'numbers'),
      listTemplates: async ({ workspaceId }) => {
        const { value } = listed(workspaceId, 'templates')
        return { type: 'ok', value: { templates: value, named: value } }
      },
    },
    limitRead: async () => undefined,
    log: { info: note, warn: note },
  }
  return syncCatalog(parts, scope)
}

const number = (phoneNumberId: string, text: string, status = 'CONNECTED'): ProviderNumber => ({
  ...{ phoneNumberId, number: text, displayName: 'Line', status },
  ...{ qualityRating: 'GREEN', messagesPerSecond: 80 },
})

const template = (name: string, status: ProviderTemplate['status'] = 'APPROVED'): ProviderTemplate => ({
  ...{ name, language: 'en_US', providerTemplateId: name, components: [], rejectedReason: null },
  ...{ category: 'UTILITY', parameterFormat: 'POSITIONAL', status },
})

async function connected(catalog: Partial<Catalog> = {}): Promise<Tenant> {
  const tenant = await addTenant(sql)
  await sql`update workspaces set waba_id = ${tenant.workspaceId} where id = ${tenant.workspaceId}`
  catalogs.set(tenant.workspaceId, { numbers: [], templates: [], ...catalog })
  return tenant
}

const numbersOf = async (workspaceId: WorkspaceId) =>
  (
    await sql`
      select id, phone_number_id, number, status from numbers where workspace_id = ${workspaceId} order by id`
  ).map((row) => ({ ...row }))

const templatesOf = async (workspaceId: WorkspaceId) =>
  (await sql`select name, status from templates where workspace_id = ${workspaceId} order by name`).map(
    ({ name, status }) => [name, status],
  )

describe('the sync of the catalog', () => {
  beforeEach(async () => {
    await sql`update workspaces set status = 'SUSPENDED'`
    catalogs.clear()
  })

  test('keeps the row of a number that has a new id at the provider', async () => {
    const tenant = await connected()
    const numbers = [number('pn-again', tenant.number), number('pn-before', tenant.number, 'DISCONNECTED')]
    catalogs.set(tenant.workspaceId, { numbers, templates: [template('welcome')] })
    for (let round = 0; round < 2; round += 1) await sync()
    assert.deepEqual(await numbersOf(tenant.workspaceId), [
      { id: tenant.numberId, phoneNumberId: 'pn-again', number: tenant.number, status: 'CONNECTED' },
    ])
    assert.deepEqual(await templatesOf(tenant.workspaceId), [
      ['hello', 'APPROVED'],
      ['welcome', 'APPROVED'],
    ])
  })

  test('makes the first number that is connected the default, and keeps the order of the provider', async () => {
    const [before, first, second] = ['+15550003331', '+15550003332', '+15550003333'] as const
    const numbers = [number('pn-before', before, 'PENDING'), number('pn-1', first), number('pn-2', second)]
    const tenant = await connected({ numbers })
    await sql`delete from numbers where workspace_id = ${tenant.workspaceId}`
    await sync()
    const rows = await sql`
      select number, is_default from numbers where workspace_id = ${tenant.workspaceId} order by id`
    assert.deepEqual(
      rows.map(({ number: text, isDefault }) => [text, isDefault]),
      [
        [before, false],
        [first, true],
        [second, false],
      ],
    )
  })

  test('leaves a number of another workspace alone, and takes all else of both', async () => {
    const owner = await addTenant(sql)
    const tenant = await connected({
      numbers: [number('pn-taken', owner.number), number('pn-new', '+15550001111')],
      templates: [template('welcome')],
    })
    const later = await connected({ templates: [template('later')] })
    await sync()
    assert.deepEqual(
      (await numbersOf(owner.workspaceId)).map((row) => row['phoneNumberId']),
      [owner.phoneNumberId],
    )
    assert.deepEqual(
      (await numbersOf(tenant.workspaceId)).map((row) => row['phoneNumberId']),
      [tenant.phoneNumberId, 'pn-new'],
    )
    assert.deepEqual((await templatesOf(tenant.workspaceId)).at(-1), ['welcome', 'APPROVED'])
    assert.deepEqual((await templatesOf(later.workspaceId)).at(-1), ['later', 'APPROVED'])
    const skipped = logged.find(({ event }) => event === 'catalog.number_of_other_workspace')
    assert.deepEqual([skipped?.workspaceId, skipped?.phoneNumberIds], [tenant.workspaceId, ['pn-taken']])
  })

  test('asks for no further workspace when its process ends', async () => {
    await connected()
    await connected()
    const ending = new AbortController()
    const endInTheFirst: typeof templates.upsert = async (...args) => {
      ending.abort()
      await templates.upsert(...args)
    }
    await sync(endInTheFirst, { signal: ending.signal })
    assert.equal(logged.filter(({ event }) => event === 'catalog.synced').length, 1)
  })

  test('follows an edit that the provider tells, once for all edits of an account within seconds', async () => {
    const edited = await connected({ templates: [template('edited')] })
    await connected()
    const rounds: Promise<void>[] = []
    const clock = new SimulatedClock()
    const refresh = createCatalogRefresh({
      sync: (wabaId) => {
        const round = sync(templates.upsert, { wabaId })
        rounds.push(round)
        return round
      },
      clock,
    })
    for (const burst of [1, 2]) {
      for (let edit = 0; edit < 3; edit += 1) refresh(edited.workspaceId)
      await clock.advance(5_000)
      await Promise.all(rounds)
      assert.equal(rounds.length, burst)
      assert.deepEqual(
        logged.map(({ event, workspaceId }) => [event, workspaceId]),
        [['catalog.synced', edited.workspaceId]],
      )
    }
    assert.deepEqual((await templatesOf(edited.workspaceId))[0], ['edited', 'APPROVED'])
  })

  test('reads the numbers of an account once a minute where an unknown one is told again and again', async () => {
    const clock = new SimulatedClock()
    let rounds = 0
    const refresh = createCatalogRefresh({
      sync: async () => {
        rounds += 1
      },
      restMs: 60_000,
      clock,
    })
    const told: number[] = []
    for (let second = 0; second < 130; second += 1) {
      refresh('1')
      await clock.advance(1_000)
      told[second] = rounds
    }
    assert.deepEqual([told[3], told[4], told[63], told[64], told[129]], [0, 1, 1, 2, 3])
  })

  test('of the numbers alone leaves the templates as they are', async () => {
    const tenant = await connected({
      numbers: [number('pn-alone', '+15550004444')],
      templates: [template('later')],
    })
    await sync(templates.upsert, { wabaId: tenant.workspaceId, onlyNumbers: true })
    assert.equal((await numbersOf(tenant.workspaceId)).at(-1)?.['phoneNumberId'], 'pn-alone')
    assert.deepEqual(await templatesOf(tenant.workspaceId), [['hello', 'APPROVED']])
  })

  test('takes what is on two pages once, as it was read last', async () => {
    const line = number('pn-twice', '+15550002222')
    const tenant = await connected({
      numbers: [line, { ...line, status: 'FLAGGED' }],
      templates: [template('twice'), template('once'), template('twice', 'PAUSED')],
    })
    await sync()
    assert.deepEqual(
      (await numbersOf(tenant.workspaceId)).map((row) => row['status']),
      ['CONNECTED', 'FLAGGED'],
    )
    assert.deepEqual(await templatesOf(tenant.workspaceId), [
      ['hello', 'APPROVED'],
      ['once', 'APPROVED'],
      ['twice', 'PAUSED'],
    ])
  })

  test('goes on with the next account where Postgres refuses what one has', async () => {
    const broken = await connected({ templates: [template('broken\u0000')] })
    const next = await connected({ templates: [template('next')] })
    await sync()
    assert.deepEqual(await templatesOf(broken.workspaceId), [['hello', 'APPROVED']])
    assert.deepEqual((await templatesOf(next.workspaceId)).at(-1), ['next', 'APPROVED'])
    assert.deepEqual(
      logged.map(({ event, workspaceId }) => [event, workspaceId]),
      [
        ['catalog.sync_failed', broken.workspaceId],
        ['catalog.synced', next.workspaceId],
      ],
    )
  })
})
