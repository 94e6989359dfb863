import assert from 'node:assert/strict'
import { readSignature, signatureCheck } from '../../../../src/provider/incoming/signature.ts'
import { describe, test } from '../../../support/harness.ts'
import { fixtureBytes } from './fixtures.ts'

const body = fixtureBytes('signed-body.json')
const digest = '3b2ffd4f405b36c7dbbde987c80dc8e3045f09eba586eab88a6707fc46ae7fbe'
const checkOf = (secret: string) => (body: Uint8Array, header: string | undefined) => {
  const claimed = readSignature(header)
  return claimed !== undefined && signatureCheck(secret)(body, claimed)
}
const isSigned = checkOf('app-secret-for-tests')

describe('the signature of a provider webhook', () => {
  test('is that of the raw bytes', () => {
    assert.equal(isSigned(body, `sha256=${digest}`), true)
  })

  test('is not that of the same JSON written again', () => {
    assert.equal(
      isSigned(Buffer.from(JSON.stringify(JSON.parse(body.toString()))), `sha256=${digest}`),
      false,
    )
  })

  test('fails with another secret, another digest, another form, or none', () => {
    assert.equal(checkOf('another-secret')(body, `sha256=${digest}`), false)
    assert.equal(isSigned(body, `sha256=${digest.replace('3b', '3c')}`), false)
    for (const header of [
      undefined,
      '',
      digest,
      `sha1=${digest}`,
      `sha256=${digest}00`,
      `sha256=${digest.slice(2)}`,
    ]) {
      assert.equal(isSigned(body, header), false)
    }
  })
})
