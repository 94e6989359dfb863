// Files that were uploaded with POST /media, in the headers of templates: real rows.
import assert from 'node:assert/strict'
import { personAt } from '../../../src/contract/person.ts'
import type { SendInput } from '../../../src/messaging/check-send.ts'
import { templateRendering } from '../../../src/messaging/messaging.module.ts'
import type { Outgoing } from '../../../src/messaging/ports.ts'
import { createPreviewMessage } from '../../../src/messaging/preview-message.ts'
import { createSendMessage } from '../../../src/messaging/send-message.ts'
import { createMessageReader } from '../../../src/messaging/store/messages-read.store.ts'
import { compareVariables, variableFaults } from '../../../src/messaging/template-variables.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { encodeId, type NumberId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testContacts, testMessageStore } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addTenant, type Tenant } from '../../support/rows.ts'

const sql = testPool(await testDatabase())
const store = testMessageStore(sql)
const contacts = testContacts(sql)
const sent: Outgoing[] = []
const ports = { store, templates: templateRendering, clock: systemClock }
const send = createSendMessage({
  ...ports,
  parties: (number, address, isFresh) => contacts.partiesOf(number, { person: personAt(address), isFresh }),
  find: createMessageReader(sql).find,
  transmit: (outgoing) => sent.push(outgoing),
})
const preview = createPreviewMessage(ports)

const header = (format: string) => ({ type: 'HEADER', format })
const templates = {
  picture: [header('IMAGE'), { type: 'BODY', text: 'About {{1}}' }],
  cards: [
    { type: 'BODY', text: 'New' },
    {
      type: 'CAROUSEL',
      cards: ['IMAGE', 'VIDEO'].map((format) => ({
        components: [header(format), { type: 'BODY', text: 'One' }],
      })),
    },
  ],
}

async function tenantWithTemplates(): Promise<Tenant> {
  const tenant = await addTenant(sql)
  for (const [name, components] of Object.entries(templates))
    await sql`
      insert into templates (id, workspace_id, name, language, category, status, parameter_format, components)
      values (${newId('template')}, ${tenant.workspaceId}, ${name}, 'en_US', 'UTILITY', 'APPROVED', 'POSITIONAL',
        ${sql.json(components)})`
  return tenant
}

let lastFile = 1_000

/** Gives its id, and that of the provider. */
async function addUpload(
  { workspaceId, numberId }: Pick<Tenant, 'workspaceId' | 'numberId'>,
  given: { readonly mimeType?: string; readonly expiresAt?: Date; readonly numberId?: NumberId } = {},
) {
  lastFile += 1
  const id = newId('upload')
  const upload = {
    ...{ id, workspaceId, numberId, providerMediaId: String(lastFile), mimeType: 'image/png' },
    ...{ fileName: 'a.png', sizeBytes: 3, sha256: 'ab', blobKey: `x/upload-${id}` },
    ...{ expiresAt: new Date(Date.now() + 3_600_000), ...given },
  }
  await sql`insert into uploads ${sql(upload as never)}`
  return { id: encodeId('upload', id), ofProvider: String(lastFile) }
}

const inputOf = (name: keyof typeof templates, variables: Record<string, string>): SendInput => ({
  ...{ to: '15557000001', from: null, metadata: {}, idempotencyKey: null },
  template: { name, language: 'en_US', variables },
})

const sendAs = ({ workspaceId }: Tenant, input: SendInput) =>
  send({ workspaceId, keyId: null, keyName: null }, input)

const componentsOf = (outgoing: Outgoing | undefined) =>
  outgoing?.free
    ? assert.fail('no template was sent')
    : outgoing &&
      JSON.stringify(templateRendering.providerComponents(outgoing.definition, outgoing.template.variables))

describe('a template with an uploaded file', () => {
  test('is sent with the id of the provider, in a header and in cards, and other texts stay', async () => {
    const tenant = await tenantWithTemplates()
    const [image, video] = [await addUpload(tenant), await addUpload(tenant, { mimeType: 'video/mp4' })]
    const { record } = await sendAs(tenant, inputOf('picture', { 'header.1': image.id, '1': image.id }))
    assert.deepEqual(record.template?.variables, { 'header.1': image.ofProvider, '1': image.id })
    assert.match(componentsOf(sent.at(-1)) ?? '', new RegExp(`"image":{"id":"${image.ofProvider}"}`))
    await sendAs(tenant, inputOf('cards', { 'card.0.header.1': image.id, 'card.1.header.1': video.id }))
    const cards = componentsOf(sent.at(-1)) ?? ''
    for (const part of [`"image":{"id":"${image.ofProvider}"}`, `"video":{"id":"${video.ofProvider}"}`])
      assert.ok(cards.includes(part), cards)
  })

  test('that is repeated with its key is found, although the file has expired', async () => {
    const tenant = await tenantWithTemplates()
    const { id } = await addUpload(tenant)
    const input = { ...inputOf('picture', { 'header.1': id, '1': 'x' }), idempotencyKey: 'once' }
    const first = await sendAs(tenant, input)
    await sql`update uploads set expires_at = now() - interval '1 second' where workspace_id = ${tenant.workspaceId}`
    const again = await sendAs(tenant, input)
    assert.deepEqual([again.replayed, again.record.id], [true, first.record.id])
  })

  test('is refused, and its preview says so, where the file is not there or does not fit', async () => {
    const tenant = await tenantWithTemplates()
    const other = await tenantWithTemplates()
    const numberId = newId('number')
    await sql`
      insert into numbers (id, workspace_id, phone_number_id, number)
      values (${numberId}, ${tenant.workspaceId}, ${`pn-${numberId}`}, ${`+1666${Date.now()}`})`
    const cases = {
      unknown: [encodeId('upload', newId('upload')), 'MEDIA_NOT_FOUND', /POST \/media/],
      foreign: [(await addUpload(other)).id, 'MEDIA_NOT_FOUND', /POST \/media/],
      expired: [(await addUpload(tenant, { expiresAt: new Date(0) })).id, 'MEDIA_NOT_FOUND', /expired/],
      pdf: [
        (await addUpload(tenant, { mimeType: 'application/pdf' })).id,
        'MEDIA_UNSUITABLE',
        /is application\/pdf; this kind takes image\/jpeg/,
      ],
      elsewhere: [(await addUpload(tenant, { numberId })).id, 'MEDIA_UNSUITABLE', /for another number/],
    } as const
    for (const [what, [id, code, message]] of Object.entries(cases)) {
      const input = inputOf('picture', { 'header.1': id, '1': 'x' })
      const path = 'template.variables.header.1'
      await assert.rejects(sendAs(tenant, input), (error: { code: string; details: { path: string }[] }) => {
        assert.deepEqual([what, error.code, error.details[0]?.path], [what, code, path])
        return true
      })
      const { invalidVariables } = await preview(tenant, input)
      assert.deepEqual(
        invalidVariables.map(({ name }) => name),
        ['header.1'],
      )
      assert.match(invalidVariables[0]?.message ?? '', message)
    }
  })

  test('is refused in a campaign, which takes the variables as they are', () => {
    const definition = { components: templates.picture, parameterFormat: 'POSITIONAL' } as const
    const [fault] = variableFaults(
      compareVariables(definition, { 'header.1': encodeId('upload', newId('upload')), '1': 'x' }),
    )
    assert.equal(fault?.variable, 'header.1')
    assert.match(fault?.message ?? '', /campaigns do not; give a link/)
  })
})
