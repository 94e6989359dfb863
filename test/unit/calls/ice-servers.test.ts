import assert from 'node:assert/strict'
import { createIceServers } from '../../../src/calls/ice-servers.ts'
import { encodeId, type WorkspaceId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

const workspaceId = '018f0000-0000-7000-8000-000000000001' as WorkspaceId
const at = Date.UTC(2026, 10, 20, 14, 21, 3, 999)
const stun = ['stun:stun.example.com:3478']
const turn = ['turn:turn.example.com:3478', 'turns:turn.example.com:5349?transport=tcp']

const ice = (options: { urls: string[]; turnSecrets?: string[]; ttlMs?: number }) =>
  createIceServers({ turnSecrets: [], ttlMs: 3_600_000, ...options, clock: { now: () => at } })(workspaceId)

describe('GET /calls/ice', () => {
  test('gives TURN the credentials that coturn checks: HMAC-SHA1 of <expiry>:<workspace>, as base64', () => {
    assert.equal(encodeId('workspace', workspaceId), 'wsp_01hw000000e008000000000001')
    assert.deepEqual(ice({ urls: [...turn, ...stun], turnSecrets: ['north-dock', 'the old one'] }), {
      iceServers: [
        { urls: stun },
        {
          urls: turn,
          username: '1795188063:wsp_01hw000000e008000000000001',
          // printf %s <username> | openssl dgst -sha1 -hmac north-dock -binary | base64
          credential: 'cEfjhYOkbIh85EedN4J4F/7kRCw=',
        },
      ],
      ttlSeconds: 3_600,
      expiresAt: '2026-11-20T15:21:03.000Z',
    })
  })

  test('gives STUN no credentials, and an empty list where nothing is set', () => {
    assert.deepEqual(ice({ urls: stun }).iceServers, [{ urls: stun }])
    assert.deepEqual(ice({ urls: [], ttlMs: 60_000 }), {
      iceServers: [],
      ttlSeconds: 60,
      expiresAt: '2026-11-20T14:22:03.000Z',
    })
  })
})
