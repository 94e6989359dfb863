import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  ConfigError,
  describeSettings,
  loadSettings,
  requireSettings,
} from '../../../../src/platform/config/config.ts'
import { checkGatewaySettings, internalAddress } from '../../../../src/platform/config/gateway-settings.ts'
import { describe, test } from '../../../support/harness.ts'

const key = 'a'.repeat(64)
const strongKey = createHash('sha256').update('a key of these tests').digest('hex')
const production = { APP_ENV: 'production', SECRETS_KEY: strongKey }

const refused = (environment: Record<string, string>, ...parts: RegExp[]) => {
  assert.throws(
    () => loadSettings(environment),
    (error: unknown) => {
      assert.ok(error instanceof ConfigError)
      for (const part of parts) assert.match(error.message, part)
      return true
    },
  )
}

describe('settings', () => {
  test('without an environment every setting has its default', () => {
    const settings = loadSettings({})
    assert.equal(settings.PORT, 8080)
    assert.deepEqual(settings.WEBHOOK_RETRY_DELAYS, [10_000, 60_000, 300_000, 1_800_000, 7_200_000])
    assert.equal(settings.DIRECT_TIMEOUT, 5_000)
    assert.equal(settings.WEBHOOK_TARGETS, 'public')
    assert.equal(settings.DATABASE_URL, undefined)
  })

  test('a gateway registers an address that others can connect to, or does not start', () => {
    const provider = { PROVIDER_APP_SECRET: 'a', PROVIDER_VERIFY_TOKEN: 'b' }
    const wrong = [
      { INTERNAL_HOST: '0' },
      { INTERNAL_HOST: 'fe80::1%eth0' },
      { INTERNAL_HOST: '10.0.0.5', INTERNAL_ADDRESS: 'http://0.0.0.0:9000' },
    ]
    for (const environment of wrong)
      assert.throws(
        () => checkGatewaySettings(loadSettings({ ...provider, ...environment })),
        /: set INTERNAL_ADDRESS to how/,
      )
    const right = [
      [{}, 'http://127.0.0.1:9000'],
      [{ INTERNAL_HOST: 'gateway-1' }, 'http://gateway-1:9000'],
      [{ INTERNAL_HOST: '0.0.0.0' }, 'http://0.0.0.0:9000'],
      [{ INTERNAL_HOST: '::' }, 'http://[::]:9000'],
      [{ INTERNAL_HOST: 'fd00:1::5' }, 'http://[fd00:1::5]:9000'],
      [{ INTERNAL_HOST: '0.0.0.0', INTERNAL_ADDRESS: 'http://10.0.0.5:9100' }, 'http://10.0.0.5:9100'],
    ] as const
    for (const [environment, address] of right) {
      const settings = loadSettings({ ...provider, ...environment })
      checkGatewaySettings(settings)
      assert.equal(internalAddress(settings, 9_000), address)
    }
    for (const more of ['/path', '/?a=b', '/#a'])
      refused({ INTERNAL_ADDRESS: `http://10.0.0.5:9000${more}` }, /INTERNAL_ADDRESS must have no path/)
    refused({ INTERNAL_ADDRESS: 'http://a:b@10.0.0.5:9000' }, /INTERNAL_ADDRESS must have no path/)
  })

  test('an empty variable counts as unset', () => {
    assert.equal(loadSettings({ PORT: '' }).PORT, 8080)
  })

  test('a wrong one is named, with what it is and what it should be', () => {
    refused({ PORT: '80x' }, /PORT must be a whole number/, /"80x"/)
    refused({ PORT: '70000' }, /PORT must be at most 65535/)
    refused({ WEBHOOK_RETRY_DELAYS: '10s,soon' }, /WEBHOOK_RETRY_DELAYS/)
    refused({ WEBHOOK_TIMEOUT: '10' }, /WEBHOOK_TIMEOUT must be a duration/)
    refused({ DATABASE_URL: 'mysql://x' }, /DATABASE_URL must be a URL starting with postgres/)
    refused({ FAST_DEATH: 'yes' }, /FAST_DEATH/)
    for (const wrong of [
      '10.0.0.2,dns.google',
      '10.0.0.2:0',
      '10.0.0.2:99999',
      '[10.0.0.2]:53',
      '[fd00::2]:x',
    ])
      refused({ DNS_SERVERS: wrong }, /DNS_SERVERS must be IP addresses/)
    const right = ['10.0.0.2', '10.0.0.2:5353', 'fd00::2', '[fd00::2]', '[fd00::2]:5353']
    assert.deepEqual(loadSettings({ DNS_SERVERS: right.join(', ') }).DNS_SERVERS, right)
  })

  test('all wrong ones are named at once, and no secret is shown', () => {
    refused({ PORT: '-1', SECRETS_KEY: 'short-secret' }, /PORT/, /SECRETS_KEY/)
    assert.throws(
      () => loadSettings({ SECRETS_KEY: 'short-secret' }),
      (error: Error) => !error.message.includes('short-secret'),
    )
  })

  test('production insists on a key for secrets and on public endpoints', () => {
    refused({ APP_ENV: 'production' }, /SECRETS_KEY is required/)
    refused({ ...production, WEBHOOK_TARGETS: 'any' }, /WEBHOOK_TARGETS=any/)
    assert.equal(loadSettings(production).APP_ENV, 'production')
  })

  test('production refuses short secrets, keys that are not random, and http, each by name', () => {
    const weak = {
      CLUSTER_SECRET: 'x'.repeat(31),
      PROVIDER_APP_SECRET: 'x'.repeat(15),
      PROVIDER_VERIFY_TOKEN: 'x'.repeat(15),
      TURN_SECRET: `${'x'.repeat(16)},short`,
      PROVIDER_BASE_URL: 'http://graph.example.com',
      PUBLIC_URL: 'http://gateway.example.com',
      SECRETS_KEY: `2:${strongKey},1:${key}`,
    }
    for (const [name, text] of Object.entries(weak)) {
      refused({ ...production, [name]: text }, new RegExp(`^with APP_ENV=production: ${name} must [^;]*$`))
      assert.throws(
        () => loadSettings({ ...production, [name]: text }),
        ({ message }: Error) => !message.includes(text),
      )
      loadSettings({ [name]: text })
    }
    refused({ ...production, ...weak }, ...Object.keys(weak).map((name) => new RegExp(name)))
    loadSettings({
      ...production,
      CLUSTER_SECRET: 'x'.repeat(32),
      PROVIDER_APP_SECRET: 'x'.repeat(16),
      PUBLIC_URL: 'https://gateway.example.com',
    })
  })

  test('NODE_ENV=production without APP_ENV is a mistake, not production', () => {
    refused({ NODE_ENV: 'production' }, /set APP_ENV to production/)
    assert.equal(loadSettings({ NODE_ENV: 'production', APP_ENV: 'development' }).APP_ENV, 'development')
  })

  test('exceptions for endpoints are ranges, addresses and names, as they are written', () => {
    for (const bad of [
      '10.20.0.1/16',
      '10.0.0.0/33',
      '10.0/8',
      '127.1',
      '0x7f000001',
      'a..b',
      'https://a',
      '::1/129',
    ])
      refused({ WEBHOOK_ALLOW: bad }, /WEBHOOK_ALLOW must be ranges such as/)
    const settings = loadSettings({
      WEBHOOK_ALLOW: '10.20.0.0/16, fd00:1::/32,::1, receiver',
      WEBHOOK_NAT64: 'true',
    })
    assert.deepEqual(settings.WEBHOOK_ALLOW, ['10.20.0.0/16', 'fd00:1::/32', '::1', 'receiver'])
    assert.equal(settings.WEBHOOK_NAT64, true)
    // The settings are logged at start, by a logger that cannot serialise every kind of number.
    assert.match(JSON.stringify(describeSettings(settings)), /10\.20\.0\.0/)
  })

  test('a guard as long as the silence of a successor is refused', () => {
    refused({ GUARD: '3s' }, /GUARD must be shorter than HANDOVER_SILENCE/)
  })

  test('a time that must pass is no moment, and none that a timer cannot hold', () => {
    for (const name of [
      'CALL_TIMEOUT',
      'DIRECT_TIMEOUT',
      'GUARD',
      'HANDOVER_SILENCE',
      'PROVIDER_TIMEOUT',
      'RING_TIMEOUT',
      'SESSION_RENEW',
      'SESSION_TTL',
      'WEBHOOK_IDLE_CLOSE',
      'WEBHOOK_PING',
      'WEBHOOK_TIMEOUT',
    ])
      for (const wrong of ['0s', '49ms', '25d'])
        refused({ [name]: wrong }, new RegExp(`${name} must be 50ms to 24d \\(it is "${wrong}"\\)`))
    const { WEBHOOK_FAILURE_PAUSE, DRAIN_GRACE } = loadSettings({
      WEBHOOK_FAILURE_PAUSE: '0s',
      DRAIN_GRACE: '0s',
    })
    assert.deepEqual([WEBHOOK_FAILURE_PAUSE, DRAIN_GRACE], [0, 0])
  })

  test('renewals and a grace that leave no time for what follows are refused', () => {
    refused({ SESSION_RENEW: '3s' }, /SESSION_RENEW must be at most half of SESSION_TTL/)
    refused({ DRAIN_GRACE: '13s' }, /DRAIN_GRACE must be at most half of DRAIN_TIMEOUT/)
    assert.equal(loadSettings({ DRAIN_GRACE: '30s', DRAIN_TIMEOUT: '60s' }).DRAIN_GRACE, 30_000)
  })

  test('ICE servers are STUN and TURN URLs, and TURN needs a secret', () => {
    const turn = 'turn:turn.example.com:3478?transport=udp'
    for (const bad of ['https://stun.example.com', 'stun:', 'stun:a?transport=udp', 'turn:a?transport=sctp'])
      refused({ ICE_SERVERS: bad }, /ICE_SERVERS must be URLs such as/)
    refused({ ICE_SERVERS: turn }, /TURN_SECRET is required/)
    refused({ ICE_SERVERS: turn, TURN_SECRET: ' , ' }, /TURN_SECRET is required/)
    refused({ TURN_TTL: '10s' }, /TURN_TTL must be 1m to 24h/)
    const settings = loadSettings({ ICE_SERVERS: `stun:a,${turn}`, TURN_SECRET: 'new, old' })
    assert.deepEqual(
      [settings.ICE_SERVERS, settings.TURN_SECRET],
      [
        ['stun:a', turn],
        ['new', 'old'],
      ],
    )
    assert.equal(describeSettings(settings)['TURN_SECRET'], '(hidden)')
  })

  test('an object store is given whole or not at all', () => {
    const all = {
      BLOBS_S3_ENDPOINT: 'https://s3.example.com',
      BLOBS_S3_BUCKET: 'media',
      BLOBS_S3_ACCESS_KEY_ID: 'an-access-key',
      BLOBS_S3_SECRET_ACCESS_KEY: 'its-secret',
    }
    const settings = loadSettings(all)
    assert.equal(settings.BLOBS_S3_BUCKET, 'media')
    const described = describeSettings(settings)
    assert.equal(described['BLOBS_S3_ENDPOINT'], 'https://s3.example.com')
    assert.doesNotMatch(JSON.stringify(described), /an-access-key|its-secret/)
    for (const name of Object.keys(all)) {
      refused({ ...all, [name]: '' }, new RegExp(`^missing settings: set ${name}$`))
      const others = Object.keys(all).filter((other) => other !== name)
      refused({ [name]: all[name as keyof typeof all] }, new RegExp(`set ${others.join(', ')}$`))
    }
    refused({ BLOBS_S3_REGION: 'eu-central-1' }, /set BLOBS_S3_ENDPOINT, BLOBS_S3_BUCKET/)
    refused({ ...all, BLOBS_S3_ENDPOINT: 's3.example.com' }, /BLOBS_S3_ENDPOINT must be a URL/)
    for (const more of ['user:word@', 'user@'])
      refused(
        { ...all, BLOBS_S3_ENDPOINT: `https://${more}s3.example.com` },
        /^BLOBS_S3_ENDPOINT must have no/,
      )
    refused({ ...all, BLOBS_S3_ENDPOINT: 'https://s3.example.com?a=b' }, /must have no credentials, query/)
    refused({ ...all, BLOBS_S3_BUCKET: 'a/b' }, /BLOBS_S3_BUCKET must be the name of a bucket/)
    refused({ ...all, BLOBS_S3_SECRET_ACCESS_KEY: 'its-secret\n' }, /^wrong settings: BLOBS_S3_SECRET[^"]*$/)
  })

  test('a failpoint outside of tests is refused', () => {
    refused({ FAILPOINT: 'after_commit_before_handoff' }, /APP_ENV=test/)
    refused({ APP_ENV: 'test', FAILPOINT: 'sometime' }, /FAILPOINT/)
  })

  test('keys for secrets may be hex or base64, with ids, several of them', () => {
    const other = Buffer.alloc(32, 7)
    const settings = loadSettings({ SECRETS_KEY: `2:${other.toString('base64')},1:${key}` })
    assert.deepEqual(
      settings.SECRETS_KEY?.map(({ id }) => id),
      ['2', '1'],
    )
    assert.deepEqual(settings.SECRETS_KEY?.[0]?.bytes, other)
  })

  test('what a process cannot do without is asked for by name', () => {
    assert.throws(
      () => requireSettings(loadSettings({}), ['DATABASE_URL', 'REDIS_URL']),
      /set DATABASE_URL, REDIS_URL/,
    )
  })

  test('the printed settings hide secrets', () => {
    const shown = describeSettings(loadSettings({ SECRETS_KEY: key, DATABASE_URL: 'postgres://u:p@h/d' }))
    assert.equal(shown['SECRETS_KEY'], '(hidden)')
    assert.equal(shown['DATABASE_URL'], '(hidden)')
    assert.equal(shown['PORT'], 8080)
  })
})
