// The components of every kind of template against the simulator, which checks them as the provider does.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { toProviderComponents } from '../../../../src/messaging/render-template.ts'
import { templateVariables, type Variables } from '../../../../src/messaging/template-variables.ts'
import { completedAuthentication, TemplateBody } from '../../../../src/simulator/template-record.ts'
import { after, before, describe, test } from '../../../support/harness.ts'
import { kinds } from '../../../unit/messaging/template-kinds.ts'
import type { Kind } from '../../../unit/messaging/template-kinds-simple.ts'
import { ACCOUNT, NUMBER_ID, type Rig, startRig } from '../../simulator/harness.ts'
import { adapter } from './rig.ts'

const nameOf = (index: number) => `kind_${index}`

/** As the provider lists it. */
const definitionOf = ({ title, components }: Kind, index: number) =>
  completedAuthentication(
    v.parse(TemplateBody, {
      name: nameOf(index),
      language: 'en_US',
      category: title.startsWith('authentication') ? 'AUTHENTICATION' : 'MARKETING',
      parameter_format: title.startsWith('named') ? 'NAMED' : 'POSITIONAL',
      components,
    }),
  )

const definitions = kinds.map(definitionOf)

let rig: Rig
let provider: ReturnType<typeof adapter>
let folder: string
let media: string

const account = () => ({
  workspaceId: 'workspace-1',
  phoneNumberId: NUMBER_ID,
  wabaId: ACCOUNT,
  accessToken: rig.token,
})

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'template-kinds-'))
  const file = join(folder, 'templates.json')
  await writeFile(file, JSON.stringify(definitions))
  rig = await startRig({ SIM_TEMPLATES: file })
  provider = adapter(rig.url)
  const upload = { mimeType: 'image/png', fileName: 'a.png', bytes: Buffer.from('a picture') }
  const uploaded = await provider.api.uploadMedia(account(), upload)
  assert.ok(uploaded.type === 'ok')
  media = uploaded.value.providerMediaId
})
after(async () => {
  await provider?.api.close()
  await rig?.close()
  if (folder) await rm(folder, { recursive: true })
})

/** With the id of a file that the simulator has. */
const withMedia = (variables: Variables): Variables =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      name.endsWith('header.1') && /^\d+$/.test(value) ? media : value,
    ]),
  )

const send = (name: string, components: readonly unknown[]) =>
  provider.api.sendTemplate(account(), {
    to: '+15551230025',
    template: { name, language: 'en_US', components },
    opaque: 'msg_1',
  })

describe('the simulator', () => {
  for (const [index, { title, variables }] of kinds.entries())
    test(`takes: ${title}`, async () => {
      const template = { components: definitions[index]?.components ?? [] }
      const components = toProviderComponents(template, withMedia(variables))
      assert.ok(components)
      const result = await send(nameOf(index), components)
      assert.equal(result.type, 'ok', JSON.stringify(result))
    })

  test('refuses what is sent without components, wherever a variable is needed', async () => {
    for (const [index, components] of definitions.map(({ components: given }) => given).entries()) {
      if (templateVariables({ components }).every(({ in: place }) => place === 'BUTTON')) continue
      const result = await send(nameOf(index), [])
      assert.equal(result.type, 'refused', kinds[index]?.title)
    }
  })
})

describe('a sample', () => {
  test('is uploaded, and a template with a media header is submitted with its handle', async () => {
    const png = { mimeType: 'image/png', fileName: 'a.png', bytes: Buffer.from('a picture') }
    const sample = await provider.api.uploadSample(account(), png)
    assert.ok(sample.type === 'ok', JSON.stringify(sample))
    const submit = (name: string, handle: string) =>
      provider.api.createTemplate(account(), {
        ...{ name, language: 'en_US', category: 'UTILITY', parameterFormat: 'NAMED' },
        components: [
          { type: 'HEADER', format: 'IMAGE', example: { header_handle: [handle] } },
          { type: 'BODY', text: 'Your parcel is here.' },
        ],
      })
    assert.equal((await submit('with_sample', sample.value.handle)).type, 'ok')
    assert.equal((await submit('without_sample', 'no handle')).type, 'refused')
  })
})
