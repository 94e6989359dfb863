// A good body for every route of the console that takes one, by method and path.

const scopes = ['CATALOG_READ', 'CHAT_SEND']
// Nobody listens there, and what chance makes of the name is no name: nothing of it leaves the machine.
const hook = { name: 'hook', url: 'https://localhost:9/hook', events: ['call.accepted'] }
const password = 'not the password'

export const consoleSamples: Readonly<Record<string, unknown>> = {
  'POST /session': { email: 'nobody@example.com', password },
  'PUT /me/password': { password, newPassword: 'another password of mine' },
  'PUT /me/totp': { password, seed: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', code: '123456' },
  'DELETE /me/totp': { password },
  'POST /workspaces/:ws/keys': { name: 'k', scopes, expiresAt: '2099-01-01', requestsPerSecond: 5 },
  'PATCH /workspaces/:ws/keys/:id': { name: 'k', requestsPerSecond: 5 },
  'POST /workspaces/:ws/endpoints': hook,
  'PATCH /workspaces/:ws/endpoints/:id': hook,
  'POST /workspaces/:ws/endpoints/:id/rotate': { overlapHours: 1 },
  'POST /workspaces/:ws/endpoints/:id/replay': { states: ['FAILED'], since: '2026-11-20', dryRun: true },
  'POST /workspaces/:ws/endpoints/:id/discard': { since: '2026-11-20', dryRun: true },
  'PATCH /workspaces/:ws/numbers/:id': { endpointId: null, forwardCalls: false },
  'POST /workspaces/:ws/templates': {
    ...{ name: 'fuzz', language: 'en', category: 'UTILITY', parameterFormat: 'NAMED' },
    components: [
      { type: 'BODY', text: 'Hi {{name}}', example: { body_text_named_params: [{ param_name: 'name' }] } },
    ],
  },
  'POST /workspaces/:ws/members': { email: 'nobody@example.com', role: 'VIEWER' },
}
