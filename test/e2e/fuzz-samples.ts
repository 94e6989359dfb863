// A valid body for every console route that takes one, by method and path.

const scopes = ['CATALOG_READ', 'CHAT_SEND']
// Nothing listens on this port, and mutated host names do not resolve, so no request leaves the machine.
const hook = { name: 'hook', url: 'https://localhost:9/hook', events: ['call.accepted'] }
const password = 'not the password'
const token = 'A'.repeat(43)

const message = {
  to: '+15557000002',
  template: { name: 'hello_world', language: 'en_US', variables: {} },
}

export const consoleSamples: Readonly<Record<string, unknown>> = {
  'POST /session': { email: 'nobody@example.com', password },
  'PUT /me/password': { password, newPassword: 'another password of mine' },
  'PUT /me/totp': { password, code: '123456' },
  'DELETE /me/totp': { password },
  'POST /me/confirm': { password, totp: '123456' },
  'POST /me/recovery-codes': { password },
  'PATCH /workspaces/:ws': { name: 'North Dock' },
  'POST /workspaces/:ws/keys': { name: 'k', scopes, expiresAt: '2099-01-01', requestsPerSecond: 5 },
  'PATCH /workspaces/:ws/keys/:id': { name: 'k', requestsPerSecond: 5 },
  'POST /workspaces/:ws/endpoints': hook,
  'PATCH /workspaces/:ws/endpoints/:id': hook,
  'POST /workspaces/:ws/endpoints/:id/rotate': { overlapHours: 1 },
  'POST /workspaces/:ws/endpoints/:id/replay': { states: ['FAILED'], since: '2026-11-20', dryRun: true },
  'POST /workspaces/:ws/endpoints/:id/discard': { since: '2026-11-20', dryRun: true },
  'POST /workspaces/:ws/deliveries/replay': { ids: ['dlv_01m7x2p9wne2brd5cdy4a6jp0g'] },
  'PATCH /workspaces/:ws/numbers/:id': { endpointId: null, forwardCalls: false },
  // Of nobody: a contact who is erased would take the conversation from all other requests.
  'POST /workspaces/:ws/conversations/:id/erasure': { confirm: '+15557999999' },
  'POST /workspaces/:ws/conversations/:id/export': {},
  'POST /workspaces/:ws/templates': {
    ...{ name: 'fuzz', language: 'en', category: 'UTILITY', parameterFormat: 'NAMED' },
    components: [
      { type: 'BODY', text: 'Hi {{name}}', example: { body_text_named_params: [{ param_name: 'name' }] } },
    ],
  },
  'POST /workspaces/:ws/templates/preview': {
    components: [{ type: 'BODY', text: 'Hi {{name}}' }],
    variables: { name: 'Ines' },
  },
  'POST /workspaces/:ws/messages': { ...message, idempotencyKey: 'fuzz' },
  'POST /workspaces/:ws/messages/preview': message,
  'POST /workspaces/:ws/calls/:id/action': { action: 'HANG_UP' },
  'POST /workspaces/:ws/campaigns/:id/unknown/resend': { all: true },
  'POST /workspaces/:ws/campaigns/:id/unknown/assume-sent': { all: true },
  'PATCH /workspaces/:ws/members/:id': { role: 'OWNER' },
  'POST /workspaces/:ws/invitations': { email: 'nobody@example.com', role: 'VIEWER' },
  'POST /invitation': { token },
  'POST /invitation/accept': { account: 'NEW', token, name: 'Nobody', password: 'a password of mine' },
  'POST /workspaces/:ws/conversations/:id/reply': {
    idempotencyKey: 'fuzz-1',
    interactive: { kind: 'buttons', body: 'Keep it?', buttons: [{ id: 'keep', title: 'Keep' }] },
  },
}
