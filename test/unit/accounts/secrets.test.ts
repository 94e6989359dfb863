import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { processSecrets, reportFailures, type SecretFailure } from '../../../src/accounts/host/secrets.ts'
import { createSecretBox } from '../../../src/accounts/secret-box.ts'
import { checkSeal, sealAll } from '../../../src/platform/cluster/rpc-envelope.ts'
import { loadSettings } from '../../../src/platform/config/config.ts'
import { describe, test } from '../../support/harness.ts'

const [old, fresh] = [`old:${randomBytes(32).toString('hex')}`, `new:${randomBytes(32).toString('hex')}`]
const [one, other] = ['the secret of the cluster', 'another secret of the cluster']

const clusterOf = (env: Record<string, string>) => processSecrets(loadSettings(env)).cluster

describe('what processes of a cluster have in common', () => {
  const body = '{"v":1}'
  const understands = (from: Record<string, string>, to: Record<string, string>) =>
    checkSeal(clusterOf(to), sealAll(clusterOf(from), 1_000, body), 1_000, body)

  test('any two settings that stand beside each other in a rollout understand each other', () => {
    const rollouts: Record<string, string>[][] = [
      [
        { SECRETS_KEY: old },
        { SECRETS_KEY: `${old},${fresh}` },
        { SECRETS_KEY: `${fresh},${old}` },
        { SECRETS_KEY: fresh },
      ],
      // CLUSTER_SECRET is set for the first time, and taken away.
      [{ SECRETS_KEY: old }, { SECRETS_KEY: old, CLUSTER_SECRET: one }, { SECRETS_KEY: old }],
      [
        { SECRETS_KEY: old, CLUSTER_SECRET: one },
        { SECRETS_KEY: old, CLUSTER_SECRET: `${one},${other}` },
        { SECRETS_KEY: old, CLUSTER_SECRET: other },
      ],
    ]
    for (const steps of rollouts)
      for (const [index, step] of steps.slice(1).entries()) {
        const before = steps[index] ?? assert.fail()
        assert.equal(understands(before, step), 'sealed', JSON.stringify([before, step]))
        assert.equal(understands(step, before), 'sealed', JSON.stringify([step, before]))
      }
  })

  test('a release that reads one seal reads the one of the first secret', () => {
    const alone = sealAll([one], 1_000, body)
    assert.equal(alone.more, undefined)
    assert.equal(sealAll([one, other], 1_000, body).first, alone.first)
  })

  test('nothing in common, another body, and an old seal are refused', () => {
    assert.equal(understands({ SECRETS_KEY: old }, { SECRETS_KEY: fresh }), 'forged')
    const seals = sealAll([one, other], 1_000, body)
    assert.equal(checkSeal([other], seals, 1_000, `${body} `), 'forged')
    assert.equal(checkSeal([other], seals, 32_000, body), 'expired')
    assert.equal(checkSeal([other], { ...seals, first: undefined }, 1_000, body), 'unsealed')
  })

  test('a short secret among several is refused', () => {
    assert.throws(() => loadSettings({ CLUSTER_SECRET: `${one},short` }), /CLUSTER_SECRET/)
  })
})

describe('a secret that cannot be opened', () => {
  test('is reported with its key, without its content, and still fails', () => {
    const failures: SecretFailure[] = []
    const [a, b] = [
      { id: 'a', bytes: randomBytes(32) },
      { id: 'b', bytes: randomBytes(32) },
    ]
    const box = reportFailures(createSecretBox([b]), (failure) => failures.push(failure))
    assert.equal(box.open(box.seal('token')), 'token')
    assert.equal(failures.length, 0)
    assert.throws(() => box.open(createSecretBox([a]).seal('token')), /no key opens/)
    assert.throws(() => box.open(Buffer.from('token')), /not sealed here/)
    assert.deepEqual(failures, [
      { operation: 'open', fault: 'unknownKey', keyId: 'a' },
      { operation: 'open', fault: 'damaged', keyId: undefined },
    ])
  })
})
