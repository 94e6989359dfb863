// An uploaded document reaches the customer under a name, however it is sent.
import assert from 'node:assert/strict'
import type { MessageContent } from '../../../src/contract/message-content.ts'
import { checkFree } from '../../../src/messaging/free-form.ts'
import type { GivenFile } from '../../../src/messaging/free-form-content.ts'
import type { SendContext } from '../../../src/messaging/ports.ts'
import { withUploads } from '../../../src/messaging/template-uploads.ts'
import { freeMessage } from '../../../src/provider/outgoing/message-content.ts'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

const numberId = newId('number')
const upload = {
  ...{ id: newId('upload'), numberId, providerMediaId: '1037', mimeType: 'application/pdf' },
  ...{ fileName: 'invoice.pdf', sizeBytes: 3, sha256: 'ab', blobKey: 'x' },
}
const file = { uploadId: upload.id }
const context = { upload, number: { numberId }, windowExpiresAt: new Date(1), reference: null }

/** In the provider's form. */
const sent = (content: MessageContent<GivenFile>, given = upload) =>
  freeMessage(
    checkFree({ content, about: null }, { ...context, upload: given } as unknown as SendContext, 0).message,
  )
const media = (kind: 'document' | 'image', fileName: string | null) =>
  ({ kind: 'media', media: { kind, file, caption: null, fileName } }) as const

describe('an uploaded document', () => {
  test('has the name of its upload, unless another is given', () => {
    const document = { id: '1037', filename: 'invoice.pdf' }
    assert.deepEqual(sent(media('document', null)), { type: 'document', document })
    const named = sent(media('document', 'A-1.pdf'))
    assert.deepEqual(named, { type: 'document', document: { ...document, filename: 'A-1.pdf' } })
    const png = { ...upload, mimeType: 'image/png' }
    assert.deepEqual(sent(media('image', null), png), { type: 'image', image: { id: '1037' } })
  })

  test('has it in the header of an interactive message', () => {
    const { interactive } = sent({
      kind: 'interactive',
      interactive: {
        ...{ header: { kind: 'document', file }, body: 'B', footer: null },
        action: { kind: 'link', title: 'T', url: 'https://a/' },
      },
    }) as { interactive?: { header: object } }
    assert.deepEqual(interactive?.header, {
      type: 'document',
      document: { id: '1037', filename: 'invoice.pdf' },
    })
  })

  test('has it in the header of a template, unless another is given', () => {
    const filled = (format: string, variables: Record<string, string>, given = upload) => {
      const template = { parameterFormat: 'POSITIONAL', components: [{ type: 'HEADER', format }] } as const
      const id = encodeId('upload', given.id)
      return withUploads(template, { 'header.1': id, ...variables }, { uploads: [given], number: null })
    }
    const named = { 'header.1': '1037', 'header.fileName': 'invoice.pdf' }
    assert.deepEqual(filled('DOCUMENT', {}), { variables: named, faults: [] })
    assert.deepEqual(filled('DOCUMENT', { 'header.fileName': '' }).variables, named)
    const other = filled('DOCUMENT', { 'header.fileName': 'A-1.pdf' }).variables
    assert.deepEqual(other, { ...named, 'header.fileName': 'A-1.pdf' })
    const png = { ...upload, mimeType: 'image/png' }
    assert.deepEqual(filled('IMAGE', {}, png).variables, { 'header.1': '1037' })
  })
})
