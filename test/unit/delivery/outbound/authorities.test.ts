import assert from 'node:assert/strict'
import { checkAuthorities } from '../../../../src/delivery/outbound/authorities.ts'
import { makeCertificate } from '../../../support/certificate.ts'
import { describe, test } from '../../../support/harness.ts'

describe('certificate authorities of an operator', () => {
  test('are certificates, one or more', () => {
    const { cert: ca } = makeCertificate('DNS:localhost')
    assert.equal(checkAuthorities(ca + ca), ca + ca)
  })

  test('are refused where one cannot be read, or there is none', () => {
    const { cert: ca } = makeCertificate('DNS:localhost')
    for (const [pem, message] of [
      ['', /there is no certificate in it/],
      ['no PEM', /there is no certificate in it/],
      [`${ca}\n${ca.replace(/\n[A-Za-z0-9+/]{20}/, '\n')}`, /./],
    ] as const)
      assert.throws(() => checkAuthorities(pem), message)
  })
})
