// Provider webhook bodies that are malformed or contain nothing usable.

const change = (value: unknown) =>
  JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: '1', changes: [value, null, 1] }] })

export const oddWebhooks: readonly string[] = [
  ...['', 'x', 'null', '[]', '{}', '['.repeat(100_000)],
  ...[null, { field: '__proto__', value: {} }, { field: 'messages', value: null }].map(change),
  change({
    field: 'messages',
    value: { metadata: { phone_number_id: 'x' }, messages: [null, { id: '\0' }] },
  }),
  `{"object":"whatsapp_business_account","entry":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
]
