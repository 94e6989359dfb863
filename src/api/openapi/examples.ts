// Consistent example data for the API document. A test checks every example against its schema.

export const ids = {
  message: 'msg_01m7x2p9wpemg8tyspapjpqf9p',
  inbound: 'msg_01m7x2pdq3e8v9x5r1k7c2a4ng',
  conversation: 'cnv_01m7x2p9wne2brd5cdy4a6jp0g',
  call: 'call_01m7x2q1r8f7qs9vakdzvkt2ze',
  template: 'tpl_01m7x2p7bxejq9e4pd4q6w3c4n',
  number: 'num_01m7x2p7bye5prh2tdnbm5yxza',
  endpoint: 'whe_01m7x2p7d1f2c9r0b6w5k3m8qs',
  key: 'key_01m7x2p7ayf6jbkfs1wp43hhsr',
  campaign: 'cmp_01m7x2r4t0ejfsav9ge3q7d5b1',
  recipient: 'rcp_01m7x2r5c8fx2b3k6m9p4q7s1v',
} as const

const order = { store: 'North Dock', first_name: 'Ines', order_number: 'A-4471' }

export const send = {
  to: '+15557000001',
  template: { name: 'order_ready', language: 'en_US', variables: order },
  idempotencyKey: 'order-A-4471',
}

export const message = {
  id: ids.message,
  conversationId: ids.conversation,
  providerMessageId: null,
  direction: 'OUTBOUND',
  type: 'TEMPLATE',
  status: 'QUEUED',
  text: 'North Dock\nHi Ines, order A-4471 is ready.\nNorth Dock',
  template: send.template,
  from: '+15550001111',
  fromName: null,
  to: '15557000001',
  userId: null,
  username: null,
  numberId: ids.number,
  error: null,
  media: null,
  details: null,
  metadata: {},
  caller: { apiKeyId: ids.key, apiKeyName: 'shop', idempotencyKey: 'order-A-4471', campaignId: null },
  createdAt: '2026-11-20T14:21:03.127Z',
  sentAt: null,
  deliveredAt: null,
  readAt: null,
  failedAt: null,
}

export const deliveredMessage = {
  ...message,
  providerMessageId: 'wamid.HBgLMTU1NTcwMDAwMDEVAgARGBI',
  status: 'READ',
  sentAt: '2026-11-20T14:21:04.000Z',
  deliveredAt: '2026-11-20T14:21:05.000Z',
  readAt: '2026-11-20T14:23:41.000Z',
}

export const template = {
  id: ids.template,
  name: 'order_ready',
  language: 'en_US',
  category: 'UTILITY',
  status: 'APPROVED',
  components: [{ type: 'BODY', text: 'Hi {{first_name}}, order {{order_number}} is ready.' }],
  variables: [
    { name: 'first_name', example: 'Ines', in: 'BODY', kind: 'TEXT' },
    { name: 'order_number', example: 'A-4471', in: 'BODY', kind: 'TEXT' },
  ],
  ...{ optionalVariables: [], unsupported: [] },
  createdAt: '2026-11-02T09:00:00.000Z',
  updatedAt: '2026-11-02T09:05:12.400Z',
}

export const number = {
  id: ids.number,
  phoneNumberId: '100000000000001',
  number: '+15550001111',
  displayName: 'North Dock',
  status: 'CONNECTED',
  qualityRating: 'GREEN',
  messagesPerSecond: 80,
  isDefault: true,
  replyRouting: { endpointId: ids.endpoint, endpointName: 'shop' },
  forwardCalls: true,
  createdAt: '2026-11-02T09:00:00.000Z',
}

const sdp = (setup: string) =>
  [
    'v=0',
    'o=- 7614219274584779017 2 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    'm=audio 9 UDP/TLS/RTP/SAVPF 111',
    'c=IN IP4 0.0.0.0',
    'a=ice-ufrag:F7gI',
    'a=ice-pwd:x9cml/YzichV2+XlhiMu8g',
    'a=fingerprint:sha-256 D2:B9:31:8F:DF:24:D8:0E:ED:D2:EF:25:9E:AF:6F:B8:34:AE:53:9C:E6:F3:8F:F2:64:15:FA:E8:7F:53:2D:38',
    `a=setup:${setup}`,
    'a=rtpmap:111 opus/48000/2',
    '',
  ].join('\r\n')

export const offer = { sdpType: 'offer', sdp: sdp('actpass') }
export const answer = { sdpType: 'answer', sdp: sdp('active') }

export const call = {
  id: ids.call,
  wacid: 'wacid.qEphvz5JqXb2',
  direction: 'INBOUND',
  status: 'RINGING',
  from: '15557000106',
  fromName: 'Ines Duarte',
  to: '+15550001111',
  numberId: ids.number,
  phoneNumberId: number.phoneNumberId,
  conversationId: ids.conversation,
  contactWaId: '15557000106',
  userId: 'US.13491208655302741918',
  username: 'ines.d',
  ringingAt: '2026-11-20T14:30:00.250Z',
  acceptedAt: null,
  endedAt: null,
  durationSeconds: null,
  endReason: null,
  lastForwardError: null,
  createdAt: '2026-11-20T14:30:00.240Z',
}

export const acceptedCall = { ...call, status: 'ACCEPTED', acceptedAt: '2026-11-20T14:30:06.812Z' }

export const declinedCall = { ...call, status: 'DECLINED', endedAt: '2026-11-20T14:30:04.101Z' }

export const placedCall = {
  ...call,
  direction: 'OUTBOUND',
  status: 'INITIATED',
  ringingAt: null,
}

export const preview = {
  ...{ to: '15557000001', userId: null, type: 'TEMPLATE', windowExpiresAt: null },
  template: send.template,
  ...{ headerFormat: 'TEXT', header: 'North Dock' },
  body: 'Hi Ines, order A-4471 is ready.',
  footer: 'North Dock',
  ...{ buttons: [], offer: null, cards: [] },
  text: message.text,
  ...{ missingVariables: [], unexpectedVariables: [], invalidVariables: [], unsupportedParts: [] },
}

export const inboundMessage = {
  ...message,
  id: ids.inbound,
  providerMessageId: 'wamid.HBgLMTU1NTcwMDAxMDEVAgASGBQ',
  direction: 'INBOUND',
  type: 'TEXT',
  status: 'READ',
  text: 'Is it open?',
  template: null,
  from: '15557000101',
  fromName: 'Ines Duarte',
  to: '+15550001111',
  userId: call.userId,
  username: call.username,
  caller: null,
  readAt: '2026-11-20T14:25:10.300Z',
}

export const conversation = {
  id: ids.conversation,
  numberId: ids.number,
  number: '+15550001111',
  contact: {
    waId: '15557000101',
    number: '+15557000101',
    userId: 'US.13491208655302741918',
    username: 'ines.d',
    name: 'Ines Duarte',
    optedOut: false,
    marketingOptedOut: false,
  },
  group: null,
  lastMessage: {
    id: ids.inbound,
    direction: 'INBOUND',
    type: 'TEXT',
    text: 'Is it open?',
    at: '2026-11-20T14:24:59.000Z',
  },
  unreadCount: 1,
  lastInboundAt: '2026-11-20T14:24:59.000Z',
  windowExpiresAt: '2026-11-21T14:24:59.000Z',
  callPermission: {
    response: 'accept',
    granted: true,
    isPermanent: true,
    expiresAt: null,
    source: 'user_action',
  },
  createdAt: '2026-11-20T14:21:03.120Z',
  updatedAt: '2026-11-20T14:25:00.010Z',
}

export const marked = { conversationId: ids.conversation, markedRead: 1 }

export const ice = {
  iceServers: [
    { urls: ['stun:turn.example.com:3478'] },
    {
      urls: ['turns:turn.example.com:443'],
      username: '1795187400:wsp_01m7x2p7aye2qv9cr4q8b6d5fh',
      credential: 'xS2W1k3mVJ0m0n8m4b7Yb1bq7hQ=',
    },
  ],
  ttlSeconds: 3600,
  expiresAt: '2026-11-20T15:30:00.000Z',
}

export const campaign = {
  id: ids.campaign,
  name: 'Opening hours',
  status: 'DRAFT',
  numberId: ids.number,
  template: { name: 'order_ready', language: 'en_US' },
  variables: { store: 'North Dock' },
  startAt: null,
  messagesPerSecond: 40,
  pauseReason: null,
  pauseError: null,
  counts: {
    ...{ total: 2, pending: 2, queued: 0, held: 0, unknown: 0, sent: 0 },
    ...{ delivered: 0, read: 0, failed: 0, skipped: 0, cancelled: 0, replied: 0 },
  },
  createdAt: '2026-11-20T15:00:00.000Z',
  updatedAt: '2026-11-20T15:00:04.210Z',
  startedAt: null,
  pausedAt: null,
  completedAt: null,
  cancelledAt: null,
}

export const newCampaign = {
  name: campaign.name,
  template: campaign.template,
  numberId: ids.number,
  variables: campaign.variables,
  messagesPerSecond: 40,
}

export const newRecipients = {
  recipients: [
    { to: '+15557000001', variables: { first_name: 'Ines', order_number: 'A-4471' } },
    { to: '+15557000002', variables: { first_name: 'Omar', order_number: 'A-4472' } },
  ],
}

export const recipientsCsv =
  'to,first_name,order_number\r\n+15557000001,Ines,A-4471\r\n+15557000002,Omar,A-4472\r\n'

export const recipientLines =
  '{"to": "+15557000001", "variables": {"first_name": "Ines", "order_number": "A-4471"}}\n{"to": "+15557000002"}\n'

export const verdictLines =
  '{"index":0,"to":"+15557000001","verdict":"added"}\n' +
  '{"index":1,"to":"+15557000002","verdict":"invalid","message":"missing variables: first_name, order_number"}\n' +
  '{"summary":{"added":1,"duplicates":0,"skipped":0,"invalid":1}}\n'

export const estimate = {
  recipients: 20_000,
  messagesPerSecond: 40,
  limitedBy: 'CAMPAIGN_PACE',
  seconds: 500,
  startsAt: '2026-11-21T09:00:00.000Z',
  endsAt: '2026-11-21T09:08:20.000Z',
  warnings: [
    { code: 'TEMPLATE_NOT_APPROVED', message: 'the template is PENDING: it can be sent once it is APPROVED' },
  ],
}

export const recipient = {
  id: ids.recipient,
  to: '15557000001',
  userId: null,
  variables: { first_name: 'Ines', order_number: 'A-4471' },
  status: 'PENDING',
  messageId: null,
  error: null,
  skippedReason: null,
  repliedAt: null,
  updatedAt: '2026-11-20T15:00:04.210Z',
}

export const page = (...data: readonly unknown[]) => ({ data, nextCursor: null })
