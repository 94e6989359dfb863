// Invalid API keys, and the scopes that the routes need.

type Headers = Readonly<Record<string, string>>

export function noKeys(key: string): readonly (readonly [Headers, expected: string])[] {
  const [, , prefix = '', secret = ''] = key.split('_')
  const bearer = (text: string) => ({ authorization: text })
  const unknown = '401 INVALID_API_KEY'
  return [
    [{}, '401 UNAUTHORIZED'],
    [{ 'x-api-key': '' }, '401 UNAUTHORIZED'],
    [{ cookie: `key=${key}` }, '401 UNAUTHORIZED'],
    [bearer(''), unknown],
    [bearer('Bearer'), unknown],
    [bearer(key), unknown],
    [bearer(`Basic ${Buffer.from(`${key}:`).toString('base64')}`), unknown],
    [bearer(`Bearer ${key} x`), unknown],
    [bearer(`Bearer ${key.replace('_test_', '_live_')}`), unknown],
    [bearer(`Bearer ck_test_${prefix}_${'a'.repeat(43)}`), unknown],
    [bearer(`Bearer ck_test_AAAAAAAAAA_${secret}`), unknown],
    [bearer(`Bearer ck_test_'or'1'='1_${secret}`), unknown],
    [bearer(`Bearer ${'x'.repeat(3_000)}`), unknown],
    [{ 'x-api-key': 'x' }, unknown],
    [{ authorization: 'Bearer x', 'x-api-key': key }, unknown],
    [{ authorization: '', 'x-api-key': key }, unknown],
  ]
}

export const routes: readonly (readonly [scope: string, method: string, path: string])[] = [
  ['CHAT_SEND', 'POST', '/messages/chat'],
  ['CHAT_SEND', 'POST', '/messages/chat/preview'],
  ['MESSAGES_READ', 'GET', '/messages/chat'],
  ['MESSAGES_READ', 'GET', '/messages/chat/x'],
  ['MEDIA_READ', 'GET', '/messages/chat/x/media'],
  ['CONVERSATIONS_WRITE', 'POST', '/messages/chat/x/read'],
  ['CONVERSATIONS_WRITE', 'POST', '/conversations/x/read'],
  ['CONVERSATIONS_WRITE', 'POST', '/conversations/x/typing'],
  ['CONVERSATIONS_READ', 'GET', '/conversations'],
  ['CONVERSATIONS_READ', 'GET', '/conversations/x'],
  ['CATALOG_READ', 'GET', '/templates'],
  ['CATALOG_READ', 'GET', '/templates/x'],
  ['CATALOG_READ', 'GET', '/numbers'],
  ['CATALOG_READ', 'GET', '/numbers/x'],
  ['CALLS_READ', 'GET', '/calls'],
  ['CALLS_READ', 'GET', '/calls/x'],
  ['CALLS_READ', 'GET', '/calls/ice'],
  ['CALLS_WRITE', 'GET', '/calls/x/offer'],
  ['CALLS_WRITE', 'POST', '/calls/x/answer'],
  ['CALLS_WRITE', 'POST', '/calls/x/action'],
  ['CALLS_WRITE', 'POST', '/conversations/x/call'],
  ['CAMPAIGNS_READ', 'GET', '/campaigns'],
  ['CAMPAIGNS_READ', 'GET', '/campaigns/x'],
  ['CAMPAIGNS_READ', 'GET', '/campaigns/x/recipients'],
  ['CAMPAIGNS_WRITE', 'POST', '/campaigns'],
  ['CAMPAIGNS_WRITE', 'PATCH', '/campaigns/x'],
  ['CAMPAIGNS_WRITE', 'POST', '/campaigns/x/recipients'],
  ['CAMPAIGNS_WRITE', 'DELETE', '/campaigns/x/recipients'],
  ['CAMPAIGNS_WRITE', 'DELETE', '/campaigns/x'],
  ['CONTACTS_ERASE', 'POST', '/contacts/15550001111/erasures'],
  ['CONTACTS_ERASE', 'GET', '/erasures/x'],
  ['CONTACTS_EXPORT', 'POST', '/contacts/15550001111/exports'],
  ['CONTACTS_EXPORT', 'GET', '/exports/x/file'],
]

const scopes = [
  'CHAT_SEND',
  'MESSAGES_READ',
  'MEDIA_READ',
  'CONVERSATIONS_READ',
  'CONVERSATIONS_WRITE',
  'CALLS_READ',
  'CATALOG_READ',
  'CALLS_WRITE',
  'CAMPAIGNS_READ',
  'CAMPAIGNS_WRITE',
  'CONTACTS_EXPORT',
  'CONTACTS_ERASE',
]
const included: Readonly<Record<string, readonly string[]>> = {
  CATALOG_READ: ['CHAT_SEND', 'CAMPAIGNS_WRITE'],
  CALLS_READ: ['CALLS_WRITE'],
  CAMPAIGNS_READ: ['CAMPAIGNS_WRITE'],
}

/** As many scopes as possible that do not grant this one. */
export const withoutScope = (scope: string): string[] =>
  scopes.filter((one) => one !== scope && !included[scope]?.includes(one))
