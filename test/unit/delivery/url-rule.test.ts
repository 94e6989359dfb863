import assert from 'node:assert/strict'
import { judgeUrl } from '../../../src/delivery/address-rule.ts'
import { describe, test } from '../../support/harness.ts'

const reasonOf = (text: string) => {
  const verdict = judgeUrl(text, 'public')
  return verdict.type === 'refused' ? verdict.reason : 'ok'
}
const targetOf = (text: string, policy: 'public' | 'any' = 'public') => {
  const verdict = judgeUrl(text, policy)
  assert.equal(verdict.type, 'ok', text)
  assert(verdict.type === 'ok')
  return verdict.target
}

describe('the text of an address', () => {
  const refusals: [string, string][] = [
    ['http://example.org/', 'SCHEME'],
    ['ws://example.org/', 'SCHEME'],
    ['ftp://example.org/', 'SCHEME'],
    ['javascript:alert(1)', 'SCHEME'],
    ['example.org/hook', 'SCHEME'],
    ['', 'SCHEME'],
    ['https:example.org', 'MALFORMED'],
    ['https:/example.org', 'MALFORMED'],
    ['https:///example.org', 'MALFORMED'],
    ['https://', 'MALFORMED'],
    ['https://exam ple.org/', 'MALFORMED'],
    [' https://example.org/', 'MALFORMED'],
    ['https://example.org/\n', 'MALFORMED'],
    ['https://example.org/a\tb', 'MALFORMED'],
    ['https://example.org\\@127.0.0.1/', 'MALFORMED'],
    ['https://example.org/\ud800', 'MALFORMED'],
    ['https://example.org:99999/', 'MALFORMED'],
    ['https://example.org:8a/', 'MALFORMED'],
    ['https://a..example.org/', 'MALFORMED'],
    ['https://.example.org/', 'MALFORMED'],
    ['https://example.org../', 'MALFORMED'],
    ['https://exa!mple.org/', 'MALFORMED'],
    [`https://${'a'.repeat(64)}.org/`, 'MALFORMED'],
    ['https://user@example.org/', 'CREDENTIALS'],
    ['https://user:word@example.org/', 'CREDENTIALS'],
    ['https://@example.org/', 'CREDENTIALS'],
    ['https://example.org@127.0.0.1/', 'CREDENTIALS'],
    ['https://example.org/#part', 'FRAGMENT'],
    ['https://example.org#', 'FRAGMENT'],
    ['https://example.org:0/', 'PORT'],
    ['https://example.org:000/', 'PORT'],
    ['https://example%2eorg/', 'SPELLING'],
    ['https://127.1/', 'SPELLING'],
    ['https://0/', 'SPELLING'],
    [`https://example.org/${'x'.repeat(2_048)}`, 'TOO_LONG'],
  ]
  for (const [text, reason] of refusals) {
    test(`${JSON.stringify(text.slice(0, 60))} is refused: ${reason}`, () =>
      assert.equal(reasonOf(text), reason))
  }

  test('may not name a local host, in any case, width or with a final dot', () => {
    const zones = [
      'localhost',
      'a.localhost',
      'printer.local',
      'db.internal',
      'nas.home.arpa',
      'pc.lan',
      'mail.corp',
    ]
    const more = [
      'x.onion',
      'x.test',
      'x.invalid',
      'x.example',
      'api.default.svc',
      'a.b.svc.cluster.local',
      'intranet',
    ]
    for (const name of [...zones, ...more]) {
      for (const host of [name, name.toUpperCase(), `${name}.`, name.replace('a', 'ａ')]) {
        assert.equal(reasonOf(`https://${host}/`), 'LOCAL_NAME', host)
      }
    }
  })

  test('may name any public host, and is kept byte for byte after it', () => {
    const accepted: [string, string][] = [
      ['https://example.org', 'https://example.org/'],
      ['HTTPS://Hooks.Example.ORG:443/In', 'https://hooks.example.org/In'],
      ['https://example.org.:8443/', 'https://example.org:8443/'],
      ['https://example.org?a=b', 'https://example.org/?a=b'],
      [
        "https://example.org/a/../b//c?x='y'&z=%7e+%2F{1}",
        "https://example.org/a/../b//c?x='y'&z=%7e+%2F{1}",
      ],
      ['https://bücher.example.org/straße?q=ä', 'https://xn--bcher-kva.example.org/stra%C3%9Fe?q=%C3%A4'],
      ['wss://例え.jp/', 'wss://xn--r8jz45g.jp/'],
      ['https://localhost.example.org/', 'https://localhost.example.org/'],
      ['https://my_hook.example.org/', 'https://my_hook.example.org/'],
      ['https://example.org/a@b?next=http://127.0.0.1/', 'https://example.org/a@b?next=http://127.0.0.1/'],
      ['https://8.8.8.8:65535/', 'https://8.8.8.8:65535/'],
    ]
    for (const [text, stored] of accepted) assert.equal(targetOf(text).url, stored)
  })

  test('is judged the same once it is stored', () => {
    for (const text of [
      'https://bücher.example.org/ß?ä',
      'wss://Example.org.?x',
      'https://[2606:4700::1]/',
    ]) {
      assert.deepEqual(targetOf(targetOf(text).url), targetOf(text))
    }
  })

  test('yields host, port and path as the sender needs them', () => {
    assert.deepEqual(targetOf('wss://Example.org?x=1'), {
      url: 'wss://example.org/?x=1',
      scheme: 'wss',
      host: 'example.org',
      isLiteral: false,
      port: 443,
      authority: 'example.org',
      path: '/?x=1',
    })
  })
})

describe('with local targets allowed', () => {
  test('plain schemes, local names and private addresses are taken', () => {
    for (const text of [
      'http://localhost:3000/',
      'ws://127.0.0.1:9/',
      'https://receiver/',
      'http://[::1]:80/x',
      'wss://10.0.0.1/',
    ]) {
      targetOf(text, 'any')
    }
    assert.equal(targetOf('http://receiver/', 'any').port, 80)
  })

  test('credentials, fragments, port 0 and odd spellings are still refused', () => {
    for (const text of [
      'http://a@localhost/',
      'http://localhost/#x',
      'http://localhost:0/',
      'http://127.1/',
      'gopher://localhost/',
    ]) {
      assert.equal(judgeUrl(text, 'any').type, 'refused', text)
    }
  })
})

test('regression: a name with a Latin-1 letter is still taken after thousands of addresses', () => {
  for (let count = 0; count < 20_000; count += 1) {
    assert.equal(reasonOf('https://bücher.example.org/'), 'ok', `refused at call ${count}`)
  }
})
