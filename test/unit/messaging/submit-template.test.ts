import assert from 'node:assert/strict'
import { sampleEvent } from '../../../src/console/sample-event.ts'
import { eventKinds } from '../../../src/contract/events.ts'
import type { CreatedTemplate, ProviderError, ProviderResult } from '../../../src/contract/provider.ts'
import { createTemplateSubmissions } from '../../../src/messaging/submit-template.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

const author = { workspaceId: newId('workspace'), operatorId: newId('operator'), ip: '127.0.0.1' }
const draft = {
  name: 'offer',
  language: 'en_US',
  category: 'UTILITY',
  parameterFormat: 'NAMED',
  components: [],
} as const
const account = { workspaceId: author.workspaceId, phoneNumberId: '1', wabaId: '2', accessToken: 't' }
const error: ProviderError = {
  code: '100',
  title: 'Invalid parameter',
  details: 'body is missing',
  httpStatus: 400,
  class: 'permanent',
  retryAfterMs: null,
}

function submissions(
  result: ProviderResult<CreatedTemplate>,
  given: { exists?: boolean; connected?: boolean } = {},
) {
  const { exists = false, connected = true } = given
  const done: string[] = []
  const { submit } = createTemplateSubmissions({
    provider: {
      createTemplate: async () => {
        done.push('asked')
        return result
      },
    },
    account: async () => (connected ? account : undefined),
    store: {
      exists: async () => exists,
      keep: async (_author, definition, created) => {
        done.push(`kept ${definition.name} ${created.status}`)
        return { id: 'tpl_1' } as never
      },
    },
  })
  return { done, submit: () => submit(author, draft) }
}

const ok = { type: 'ok', value: { providerTemplateId: '9', status: 'PENDING', category: 'UTILITY' } } as const

describe('submitting a template', () => {
  test('keeps what the provider took, after it took it', async () => {
    const { submit, done } = submissions(ok)
    assert.equal((await submit()).id, 'tpl_1')
    assert.deepEqual(done, ['asked', 'kept offer PENDING'])
  })

  test('one that exists, or a workspace without an account, is not sent', async () => {
    for (const given of [{ exists: true }, { connected: false }]) {
      const { submit, done } = submissions(ok, given)
      await assert.rejects(submit(), { code: given.exists ? 'INVALID_STATE' : 'PROVIDER_ERROR' })
      assert.deepEqual(done, [])
    }
  })

  test('nothing is kept of what the provider refused or left unanswered', async () => {
    const refused = submissions({ type: 'refused', error })
    await assert.rejects(refused.submit(), {
      code: 'PROVIDER_ERROR',
      message: 'the provider refused the template: Invalid parameter: body is missing (100)',
    })
    const unknown = submissions({ type: 'unknown', error })
    await assert.rejects(unknown.submit(), { code: 'PROVIDER_ERROR', message: /gave no usable answer/ })
    assert.deepEqual([...refused.done, ...unknown.done], ['asked', 'asked'])
  })
})

describe('sample events', () => {
  test('every kind has one that names itself; only calls that are live carry a session', () => {
    for (const kind of eventKinds) {
      const body = JSON.parse(sampleEvent(kind, new Date(0)).body.toString())
      assert.equal(body.event, kind)
      const isDirect = kind === 'call.ringing' || kind === 'call.accepted'
      assert.deepEqual(
        Object.keys(body),
        isDirect ? ['event', 'channel', 'call'] : ['event', 'sentAt', 'data'],
      )
      if (isDirect) assert.match(body.call.session.sdp, /^v=0\r\n[\s\S]*m=audio[\s\S]*a=fingerprint/)
    }
  })
})
