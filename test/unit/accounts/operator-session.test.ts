import assert from 'node:assert/strict'
import { endedSessionCookie, sessionCookie, sessionHashOf } from '../../../src/accounts/operator-session.ts'
import { createToken, hashToken } from '../../../src/accounts/random-token.ts'
import { includesRole, type Role, roles } from '../../../src/accounts/roles.ts'
import { isSameOrigin } from '../../../src/accounts/same-origin.ts'
import { describe, test } from '../../support/harness.ts'

describe('session cookie', () => {
  test('carries 32 random bytes, for the console alone and out of reach of scripts', () => {
    const token = createToken()
    assert.equal(Buffer.from(token, 'base64url').length, 32)
    const attributes = sessionCookie(token, false).split('; ')
    assert.deepEqual(attributes, [
      `switchboard_session=${token}`,
      'Path=/console',
      'Max-Age=604800',
      'HttpOnly',
      'SameSite=Strict',
    ])
    assert.match(endedSessionCookie(false), /^switchboard_session=; .*Max-Age=0;/)
  })

  test('over TLS it is a __Host- cookie, which no other host can set', () => {
    const token = createToken()
    assert.deepEqual(sessionCookie(token, true).split('; '), [
      `__Host-switchboard_session=${token}`,
      'Path=/',
      'Max-Age=604800',
      'HttpOnly',
      'SameSite=Strict',
      'Secure',
    ])
    assert.match(endedSessionCookie(true), /^__Host-switchboard_session=; Path=\/; Max-Age=0;.*; Secure$/)
    const planted = createToken()
    const header = `switchboard_session=${planted}; __Host-switchboard_session=${token}`
    assert.deepEqual(sessionHashOf(header, true), hashToken(token))
    assert.equal(sessionHashOf(`switchboard_session=${planted}`, true), undefined)
  })

  test('is found among other cookies, by its hash', () => {
    const token = createToken()
    assert.deepEqual(sessionHashOf(`a=b; switchboard_session=${token}; c`, false), hashToken(token))
  })

  test('anything that is no token of ours is none', () => {
    for (const header of [undefined, '', 'a=b', 'switchboard_session=', 'switchboard_session=short'])
      for (const isSecure of [false, true]) assert.equal(sessionHashOf(header, isSecure), undefined)
  })
})

describe('roles', () => {
  test('each includes those before it and none after it', () => {
    const allowed = (held: Role) => roles.filter((needed) => includesRole(held, needed))
    assert.deepEqual(roles.map(allowed), [
      ['VIEWER'],
      ['VIEWER', 'AGENT'],
      ['VIEWER', 'AGENT', 'ADMIN'],
      ['VIEWER', 'AGENT', 'ADMIN', 'OWNER'],
    ])
  })
})

describe('same origin', () => {
  const from = (origin?: string, fetchSite?: string, publicUrl?: string) =>
    isSameOrigin({ origin, fetchSite, host: 'console.example:8080' }, publicUrl)

  test('Sec-Fetch-Site decides where a browser sends it', () => {
    assert.equal(from('https://evil.example', 'same-origin'), true)
    for (const site of ['same-site', 'cross-site', 'none', ''])
      assert.equal(from('http://console.example:8080', site), false)
  })

  test('an Origin must be the host that was asked, or the public address', () => {
    assert.equal(from('http://console.example:8080'), true)
    assert.equal(from('https://console.example:8080'), true)
    assert.equal(from('https://app.example', undefined, 'https://app.example/'), true)
    for (const origin of ['http://console.example', 'https://evil.example', 'null', ''])
      assert.equal(from(origin, undefined, 'https://app.example'), false)
  })

  test('a request with neither comes from no browser', () => {
    assert.equal(from(), true)
  })
})
