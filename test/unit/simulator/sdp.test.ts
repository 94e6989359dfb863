import assert from 'node:assert/strict'
import { parse } from 'sdp-transform'
import {
  asProviderSdp,
  renameMid,
  sdpProblem,
  stampAnswer,
  stampSdp,
  withProviderDigits,
} from '../../../src/simulator/sdp.ts'
import { describe, test } from '../../support/harness.ts'

const FINGERPRINT = Array.from({ length: 32 }, () => 'AB').join(':')

const LINES = [
  'v=0',
  'o=- 17691935 0 IN IP4 0.0.0.0',
  's=-',
  't=0 0',
  'a=group:BUNDLE audio',
  'a=extmap-allow-mixed',
  'm=audio 9 UDP/TLS/RTP/SAVPF 111 126',
  'c=IN IP4 0.0.0.0',
  'a=candidate:1 1 udp 2116026367 127.0.0.1 37401 typ host generation 0 ufrag 0c9f',
  'a=candidate:2 1 udp 2116026367 192.0.2.2 46678 typ host generation 0 ufrag 0c9f',
  'a=end-of-candidates',
  'a=ice-ufrag:0c9f',
  'a=ice-pwd:5d54364e31936b064df2e3',
  'a=ice-lite',
  `a=fingerprint:sha-256 ${FINGERPRINT}`,
  'a=setup:actpass',
  'a=mid:audio',
  'a=rtpmap:111 opus/48000/2',
  'a=rtpmap:126 telephone-event/8000',
  'a=ssrc:515072302 cname:a',
]
const OFFER = `${LINES.join('\r\n')}\r\n`
const ANSWER = OFFER.replace('actpass', 'active')

const without = (start: string): string =>
  `${LINES.filter((line) => !line.startsWith(start)).join('\r\n')}\r\n`

describe('checks of a description from the business', () => {
  test('a complete offer and a complete answer pass, with either line end', () => {
    assert.equal(sdpProblem(OFFER, 'offer'), undefined)
    assert.equal(sdpProblem(ANSWER, 'answer'), undefined)
    assert.equal(sdpProblem(OFFER.replaceAll('\r\n', '\n'), 'offer'), undefined)
  })

  for (const [start, expected] of [
    ['v=', /begin with v=0/],
    ['m=', /one media section/],
    ['a=fingerprint', /No fingerprint/],
    ['a=ice-ufrag', /ice-ufrag/],
    ['a=ice-pwd', /ice-pwd/],
    ['a=rtpmap:111', /opus/],
    ['a=setup', /a=setup/],
  ] as const) {
    test(`a description without ${start} is refused and says why`, () => {
      assert.match(sdpProblem(without(start), 'offer') ?? '', expected)
    })
  }

  test('a second media section, video, and another transport are refused', () => {
    assert.match(sdpProblem(`${OFFER}m=video 9 UDP/TLS/RTP/SAVPF 96\r\n`, 'offer') ?? '', /one media section/)
    assert.match(sdpProblem(OFFER.replace('m=audio', 'm=video'), 'offer') ?? '', /audio section/)
    assert.match(sdpProblem(OFFER.replace('UDP/TLS/RTP/SAVPF', 'RTP/AVP'), 'offer') ?? '', /Transport/)
  })

  test('an answer that leaves its DTLS role open is refused', () => {
    assert.match(sdpProblem(OFFER, 'answer') ?? '', /answer must have a fitting a=setup/)
  })

  test('text that is no SDP is refused', () => {
    assert.notEqual(sdpProblem('hello', 'offer'), undefined)
  })
})

describe("the provider's shape of a description", () => {
  const shaped = asProviderSdp(OFFER)

  test('only loopback candidates remain and their port is the port of the media line', () => {
    const [media] = parse(shaped).media
    assert.deepEqual(
      media?.candidates?.map(({ ip, port }) => [ip, port]),
      [['127.0.0.1', 37401]],
    )
    assert.equal(media?.port, 37401)
    assert.equal(media?.connection?.ip, '127.0.0.1')
  })

  test('ice-lite stands at session level and trickling is not spoken of', () => {
    assert.ok(shaped.indexOf('a=ice-lite') < shaped.indexOf('m=audio'))
    assert.equal(shaped.match(/a=ice-lite/g)?.length, 1)
    assert.doesNotMatch(shaped, /end-of-candidates|extmap-allow-mixed/)
    assert.equal(parse(shaped).icelite, 'ice-lite')
  })

  test('the mid can be renamed there and back, in the group too', () => {
    const renamed = renameMid(shaped, 'audio', '0')
    assert.match(renamed, /a=group:BUNDLE 0\r\n/)
    assert.match(renamed, /a=mid:0\r\n/)
    assert.equal(renameMid(renamed, '0', 'audio'), shaped)
  })
})

describe('descriptions stamped from one text', () => {
  const text = asProviderSdp(OFFER)

  test('two stamps have credentials, sessions and streams of their own and are valid', () => {
    const [first, second] = [stampSdp(text), stampSdp(text)]
    for (const part of [/a=ice-ufrag:(\S+)/, /a=ice-pwd:(\S+)/, /o=- (\d+)/, /a=ssrc:(\d+)/]) {
      assert.notEqual(part.exec(first)?.[1], part.exec(second)?.[1])
    }
    assert.equal(sdpProblem(first, 'offer'), undefined)
    assert.equal(first.split('\r\n').length, text.split('\r\n').length)
  })

  test('the candidate carries the stamped user fragment', () => {
    const stamped = stampSdp(text)
    const ufrag = /a=ice-ufrag:(\S+)/.exec(stamped)?.[1] ?? ''
    assert.ok(stamped.includes(` ufrag ${ufrag}\r\n`))
  })

  test('an answer takes the mid of the offer and the active role', () => {
    const answer = stampAnswer(text, OFFER.replaceAll('audio\r', '7\r'))
    assert.match(answer, /a=mid:7\r\n/)
    assert.match(answer, /a=group:BUNDLE 7\r\n/)
    assert.equal(sdpProblem(answer, 'answer'), undefined)
  })

  test('an answer takes the payload types of the offer', () => {
    const offer = OFFER.replaceAll('111', '109').replaceAll('126', '101')
    const [media] = parse(stampAnswer(text, offer)).media
    assert.equal(media?.payloads, '109 101')
    assert.deepEqual(
      media?.rtp.map(({ payload, codec }) => [payload, codec]),
      [
        [109, 'opus'],
        [101, 'telephone-event'],
      ],
    )
  })
})

describe('an offer as the provider reads it', () => {
  test('telephone events at another clock than 8000 are left out', () => {
    const offer = OFFER.replace('111 126', '111 110 126').replace(
      'a=rtpmap:126',
      'a=rtpmap:110 telephone-event/48000\r\na=rtpmap:126',
    )
    assert.equal(withProviderDigits(offer), OFFER)
  })

  test('an offer without digits stays as it is', () => {
    const offer = OFFER.replace('a=rtpmap:126 telephone-event/8000\r\n', '')
    assert.equal(withProviderDigits(offer), offer)
  })
})
