import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import type { BlobStore } from '../../../src/contract/blobs.ts'
import { decodeId, type ExportId } from '../../../src/shared/ids.ts'
import { message, thread } from '../../support/fixtures.ts'
import { describe, test } from '../../support/harness.ts'
import { gateway } from '../api/gateway.ts'
import {
  blobs,
  by,
  contentOf,
  exported,
  type Known,
  known,
  privacy,
  sql,
  worker,
  workUntil,
} from './world.ts'

const { call, keyFor } = gateway(sql, { blobs })

async function* one(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

/** Those in the store, of all claims. */
async function filesOf(who: Known, id: ExportId): Promise<string[]> {
  const names = [`export-${id}`, ...[1, 2, 3].map((claim) => `export-${id}-${claim}`)]
  const found = await Promise.all(names.map((name) => blobs.open(`${who.workspaceId}/${name}`)))
  for (const blob of found) for await (const _ of blob?.body ?? []);
  return names.filter((_, index) => found[index] !== undefined)
}

describe('an export', () => {
  test('is an archive of everything that is known of the person, and of nobody else', async () => {
    const stranger = await known()
    const who = await known(stranger.waId)
    for (let index = 0; index < 230; index += 1) await message(sql, who, { sendState: 'ACCEPTED' })
    const id = await exported(who)
    const record = (await privacy.findExport(who.workspaceId, id)) ?? assert.fail()
    assert.deepEqual(record.counts, { recipients: 1, calls: 1, messages: 232, files: 1, events: 2 })
    const archive = await contentOf(who, id)
    assert.deepEqual(
      [record.sizeBytes, record.sha256],
      [archive.length, createHash('sha256').update(archive).digest('hex')],
    )
    const tar = (...args: string[]) => execFileSync('tar', args, { input: archive }).toString()
    const names = tar('-t').trim().split('\n')
    const file = names.pop() ?? ''
    assert.match(file, /^files\/msg_\w+\.png$/)
    assert.deepEqual(names, [
      'contact.json',
      ...['conversations', 'messages', 'calls', 'recipients', 'events'].map((list) => `${list}-1.ndjson`),
    ])
    assert.equal(tar('-xO', file), who.secret)
    const linesOf = (list: string) =>
      tar('-xO', `${list}-1.ndjson`)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    assert.equal(linesOf('messages').length, 232)
    assert.equal(linesOf('messages').filter(({ text }) => text === who.secret).length, 2)
    assert.deepEqual(
      linesOf('events').map(({ body }) => body.x),
      [who.secret, who.secret],
    )
    assert.deepEqual(
      linesOf('recipients').map(({ variables }) => variables),
      [{ secret: who.secret }],
    )
    assert.equal(JSON.parse(tar('-xO', 'contact.json')).waId, who.waId)
    assert.ok(!archive.includes(stranger.secret))
  })

  test('has everything of a number in whichever spelling it is asked for', async () => {
    const who = await known('551187652001')
    const asked = '5511987652001'
    await sql`update recipients set wa_id = ${asked} where workspace_id = ${who.workspaceId}`
    const alone = await exported({ ...who, waId: asked })
    const { counts } = (await privacy.findExport(who.workspaceId, alone)) ?? assert.fail()
    assert.deepEqual(counts, { recipients: 1, calls: 1, messages: 2, files: 1, events: 2 })
    const other = await thread(sql, who.workspaceId)
    await sql`update contacts set wa_id = ${asked}, name = 'Other Ines' where id = ${other.contactId}`
    await message(sql, other, { text: 'of the other', status: 'SENT' })
    const id = await exported(who)
    const both = (await privacy.findExport(who.workspaceId, id)) ?? assert.fail()
    assert.deepEqual(both.counts, { ...counts, messages: 3 })
    const archive = await contentOf(who, id)
    assert.ok(archive.includes('of the other'))
    const contact = JSON.parse(execFileSync('tar', ['-xO', 'contact.json'], { input: archive }).toString())
    assert.deepEqual([contact.waId, contact.name], [who.waId, 'Ines'])
    assert.deepEqual(
      contact.otherContacts.map(({ waId, name }: { waId: string; name: string }) => [waId, name]),
      [[asked, 'Other Ines']],
    )
  })

  test('is made by the next worker where one died, and once', async () => {
    const who = await known()
    const { record } = await privacy.requestExport(by(who.workspaceId), who.waId)
    const id = decodeId('export', record.id) ?? assert.fail()
    await sql`
      update contact_jobs set status = 'RUNNING', claim = claim + 1, due_at = now() - interval '1 second'
      where id = ${id}`
    await workUntil('COMPLETED', id, [worker(), worker()])
    assert.ok((await contentOf(who, id)).includes(who.secret))
  })

  test('is free for the next worker at once, without a failure, when its process ends', async () => {
    const who = await known()
    const { record } = await privacy.requestExport(by(who.workspaceId), who.waId)
    const id = decodeId('export', record.id) ?? assert.fail()
    const ending = new AbortController()
    const store: BlobStore = {
      ...blobs,
      async put(key, body, rules) {
        ending.abort(new Error('the process ends'))
        return blobs.put(key, body, rules)
      },
    }
    await worker(undefined, undefined, store).runJob(ending.signal)
    const [job] = await sql`
      select status, failures, error, due_at < now() + interval '1 second' as is_free from contact_jobs where id = ${id}`
    assert.deepEqual({ ...job }, { status: 'RUNNING', failures: 0, error: null, isFree: true })
    await workUntil('COMPLETED', id)
  })

  test('keeps the file of the worker that finished it, and not that of one that stood still meanwhile', async () => {
    const who = await known()
    const { record } = await privacy.requestExport(by(who.workspaceId), who.waId)
    const id = decodeId('export', record.id) ?? assert.fail()
    let begin = () => {}
    let goOn = () => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    const held = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const stalled = worker(undefined, undefined, {
      ...blobs,
      async put(...given) {
        begin()
        await held
        return blobs.put(...given)
      },
    }).runJob()
    await begun
    await sql`update contact_jobs set due_at = now() - interval '1 second' where id = ${id}`
    await workUntil('COMPLETED', id)
    // What it writes is not what the other has written.
    await message(sql, who, { text: 'later', sendState: 'ACCEPTED' })
    goOn()
    await stalled
    const { sha256 } = (await privacy.findExport(who.workspaceId, id)) ?? assert.fail()
    assert.equal(
      createHash('sha256')
        .update(await contentOf(who, id))
        .digest('hex'),
      sha256,
    )
    assert.deepEqual(await filesOf(who, id), [`export-${id}-2`])
  })

  test('that workers began and never finished leaves no file', async () => {
    const who = await known()
    const { record } = await privacy.requestExport(by(who.workspaceId), who.waId)
    const id = decodeId('export', record.id) ?? assert.fail()
    // The first two died before the row had their files.
    await sql`update contact_jobs set claim = 2 where id = ${id}`
    for (const claim of [1, 2]) {
      const put = await blobs.put(`${who.workspaceId}/export-${id}-${claim}`, one(who.secret), {
        ...{ limitBytes: 1_000, sha256: null },
      })
      assert.equal(put.type, 'stored')
    }
    await workUntil('COMPLETED', id)
    await worker().deleteFiles()
    assert.deepEqual(await filesOf(who, id), [`export-${id}-3`])
    assert.ok((await contentOf(who, id)).includes(who.secret))
  })

  test('of two releases leaves no file, whichever of them finishes it', async () => {
    const who = await known()
    const put = async (name: string) => {
      const rules = { limitBytes: 1_000, sha256: null }
      assert.equal((await blobs.put(`${who.workspaceId}/${name}`, one(who.secret), rules)).type, 'stored')
    }
    const { record } = await privacy.requestExport(by(who.workspaceId), who.waId)
    const id = decodeId('export', record.id) ?? assert.fail()
    // A worker of the release before, which named files without their claim, died before the row had its file.
    await sql`update contact_jobs set claim = 1 where id = ${id}`
    await put(`export-${id}`)
    await workUntil('COMPLETED', id)
    await worker().deleteFiles()
    assert.deepEqual(await filesOf(who, id), [`export-${id}-2`])
    // The other way round.
    await put(`export-${id}`)
    await sql`delete from blob_deletions where key = ${`${who.workspaceId}/export-${id}`}`
    await sql`
      update contact_jobs set claim = 3, blob_key = ${`${who.workspaceId}/export-${id}`}, expires_at = now() - interval '1 second'
      where id = ${id}`
    await worker().expireExports()
    await worker().deleteFiles()
    assert.deepEqual(await filesOf(who, id), [])
  })

  test('that failed names the number for as long as one that can be downloaded', async () => {
    const who = await known()
    const id = await exported(who)
    await sql`update contact_jobs set status = 'FAILED', blob_key = null, expires_at = null where id = ${id}`
    const contact = async () => (await privacy.findExport(who.workspaceId, id))?.contact
    await worker().expireExports()
    assert.notEqual(await contact(), null)
    await sql`update contact_jobs set completed_at = now() - interval '8 days' where id = ${id}`
    await worker().expireExports()
    assert.equal(await contact(), null)
  })

  test('expires with its time and with an erasure, file and number included', async () => {
    const who = await known()
    const id = await exported(who)
    await sql`update contact_jobs set expires_at = now() - interval '1 second' where id = ${id}`
    await worker().expireExports()
    const expired = (await privacy.findExport(who.workspaceId, id)) ?? assert.fail()
    assert.deepEqual([expired.status, expired.contact], ['EXPIRED', null])
    await assert.rejects(privacy.exportFile(who.workspaceId, id), { code: 'INVALID_STATE' })
    const second = await exported(who)
    const { record } = await privacy.requestErasure(by(who.workspaceId), who.waId)
    await workUntil('COMPLETED', decodeId('erasure', record.id) ?? '')
    await worker().deleteFiles()
    assert.equal((await privacy.findExport(who.workspaceId, second))?.status, 'EXPIRED')
    for (const each of [id, second]) assert.deepEqual(await filesOf(who, each), [])
  })
})

describe('the routes', () => {
  for (const [kind, plus] of [
    ['export', '%2B'],
    ['erasure', ''],
  ] as const)
    test(`of an ${kind} begin it once, and show it to its workspace alone`, async () => {
      const who = await known()
      const key = await keyFor(who.workspaceId, ['CONTACTS_EXPORT', 'CONTACTS_ERASE'])
      const other = await keyFor((await known()).workspaceId, ['CONTACTS_EXPORT', 'CONTACTS_ERASE'])
      const path = `/contacts/${plus}${who.waId}/${kind}s`
      const first = await call(key, { method: 'POST', path })
      const { id, status, contact } = first.json
      assert.deepEqual([first.status, status, contact], [202, 'PENDING', who.waId])
      const again = await call(key, { method: 'POST', path })
      assert.deepEqual([again.status, again.json.id, again.headers['idempotent-replayed']], [200, id, 'true'])
      await workUntil('COMPLETED', decodeId(kind, id) ?? '')
      const shown = await call(key, { path: `/${kind}s/${id}` })
      assert.equal(shown.json.status, 'COMPLETED')
      assert.deepEqual((await call(key, { path: `/${kind}s` })).json.data, [shown.json])
      assert.equal((await call(other, { path: `/${kind}s/${id}` })).status, 404)
      assert.deepEqual((await call(other, { path: `/${kind}s` })).json.data, [])
      const audit = await sql`
        select action from audit where workspace_id = ${who.workspaceId} and action = ${`contact.${kind}_requested`}`
      assert.equal(audit.count, 1)
    })

  test('give the file of an export out once it is there', async () => {
    const who = await known()
    const key = await keyFor(who.workspaceId, ['CONTACTS_EXPORT'])
    const other = await keyFor((await known()).workspaceId, ['CONTACTS_EXPORT'])
    const { id } = (await call(key, { method: 'POST', path: `/contacts/${who.waId}/exports` })).json
    const path = `/exports/${id}/file`
    assert.equal((await call(key, { path })).json.error.code, 'INVALID_STATE')
    await workUntil('COMPLETED', decodeId('export', id) ?? '')
    const part = await call(key, { path, headers: { range: 'bytes=0-11' } })
    assert.deepEqual([part.status, part.headers['content-type']], [206, 'application/x-tar'])
    assert.equal((await call(other, { path })).status, 404)
  })

  test('refuse what is no number, and a body', async () => {
    const who = await known()
    const key = await keyFor(who.workspaceId, ['CONTACTS_ERASE'])
    const { status } = await call(key, { method: 'POST', path: '/contacts/nobody/erasures' })
    assert.equal(status, 404)
    const path = `/contacts/${who.waId}/erasures`
    const withBody = await call(key, { method: 'POST', path, body: { why: 'x' } })
    assert.equal(withBody.json.error.code, 'VALIDATION_ERROR')
  })
})
