import assert from 'node:assert/strict'
import { openApiDocument } from '../../src/api/openapi/document.ts'
import type { JsonSchema } from '../../src/platform/http/shown.ts'
import { describe, test } from '../support/harness.ts'

const details =
  'providerType reply media location contacts order interactive reaction edit revoke context referral group system ' +
  'callPermission unsupported edited revoked truncated'

// The records of the API contract, verbatim and in its order; `{...}` are the fields of the object before it.
const contract: Readonly<Record<string, string>> = {
  Message: `id conversationId providerMessageId direction type status text template{name language variables} from fromName to
    userId username numberId error{code title subcode details traceId} media{mimeType fileName sizeBytes sha256} details{${details}}
    metadata caller{apiKeyId apiKeyName idempotencyKey campaignId} createdAt sentAt deliveredAt readAt failedAt`,
  MessagePreview: `to userId type template{name language variables} headerFormat header body buttons footer offer cards text
    missingVariables unexpectedVariables invalidVariables unsupportedParts windowExpiresAt`,
  Conversation: `id numberId number contact{waId number userId username name optedOut} group{id} lastMessage{id direction type text at} unreadCount
    lastInboundAt windowExpiresAt callPermission{response granted isPermanent expiresAt source} createdAt updatedAt`,
  Template: `id name language category status components variables[name example in kind] optionalVariables[name example in kind] unsupported createdAt updatedAt`,
  Number: `id phoneNumberId number displayName status qualityRating messagesPerSecond isDefault
    replyRouting{endpointId endpointName} forwardCalls createdAt`,
  Call: `id wacid direction status from fromName to numberId phoneNumberId conversationId contactWaId userId username ringingAt acceptedAt
    endedAt durationSeconds endReason lastForwardError{code message endpointId at} createdAt`,
  CallOffer: `callId session{sdpType sdp} fetchedAt`,
  IceServers: `iceServers[urls username credential] ttlSeconds expiresAt`,
  Campaign: `id name status numberId template{name language} variables startAt messagesPerSecond pauseReason
    pauseError{code title subcode details traceId}
    counts{total pending queued held unknown sent delivered read failed skipped cancelled replied}
    createdAt updatedAt startedAt pausedAt completedAt cancelledAt`,
  Recipient: `id to userId variables status messageId error{code title subcode details traceId} skippedReason repliedAt updatedAt`,
}

/** Fields that may be absent instead of null. */
const optional = [
  ...['Message.error.subcode', 'Message.error.details', 'Message.error.traceId'],
  ...['Recipient.error.subcode', 'Recipient.error.details', 'Recipient.error.traceId'],
  ...['Campaign.pauseError.subcode', 'Campaign.pauseError.details', 'Campaign.pauseError.traceId'],
  ...details.split(' ').map((name) => `Message.details.${name}`),
  ...['IceServers.iceServers.username', 'IceServers.iceServers.credential'],
]

const schemas = (openApiDocument().components['schemas'] ?? {}) as Record<string, JsonSchema>
const fieldsOf = (schema: JsonSchema) => Object.keys((schema['properties'] ?? {}) as object)

/** The schema of a field without its null; for a list, the schema of its items. */
function inside(schema: JsonSchema, name: string): JsonSchema {
  const field = (schema['properties'] as Record<string, JsonSchema>)[name] ?? {}
  const choices = (field['anyOf'] as JsonSchema[] | undefined) ?? [field]
  const [only = {}] = choices.filter((choice) => choice['type'] !== 'null')
  const ref = typeof only['$ref'] === 'string' ? schemas[only['$ref'].split('/').at(-1) ?? ''] : only
  return ref?.['type'] === 'array' ? (ref['items'] as JsonSchema) : (ref ?? {})
}

function assertFields(schema: JsonSchema, names: readonly string[], where: string): void {
  assert.deepEqual(fieldsOf(schema), names, where)
  const left = names.filter((name) => !((schema['required'] ?? []) as string[]).includes(name))
  assert.deepEqual(
    left.map((name) => `${where}.${name}`),
    optional.filter((path) => path.slice(0, path.lastIndexOf('.')) === where),
  )
}

describe('the records', () => {
  for (const [record, words] of Object.entries(contract))
    test(`${record} has the fields of the contract, and no other`, () => {
      const schema = schemas[record] ?? assert.fail(`there is no ${record}`)
      const fields = [...words.matchAll(/(\w+)(?:[{[]([^}\]]*)[}\]])?/g)]
      assertFields(
        schema,
        fields.map(([, name = '']) => name),
        record,
      )
      for (const [, name = '', inner] of fields)
        if (inner !== undefined)
          assertFields(inside(schema, name), inner.trim().split(/\s+/), `${record}.${name}`)
    })

  test('an id has the prefix of its kind, and a time its milliseconds, in every record', () => {
    const prefixes: Readonly<Record<string, string>> = {
      ...{ Message: 'msg', Conversation: 'cnv', Template: 'tpl', Number: 'num', Call: 'call' },
      ...{ Campaign: 'cmp', Recipient: 'rcp' },
    }
    for (const [record, prefix] of Object.entries(prefixes)) {
      const fields = (schemas[record]?.['properties'] ?? {}) as Record<string, JsonSchema>
      assert.match(String(fields['id']?.['pattern']), new RegExp(`^\\^${prefix}_`))
      const times = Object.keys(fields).filter((name) => name.endsWith('At'))
      assert.ok(times.length > 0, record)
      for (const name of times)
        assert.equal(inside(schemas[record] ?? {}, name)['format'], 'date-time', `${record}.${name}`)
    }
  })
})
