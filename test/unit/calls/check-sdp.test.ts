import assert from 'node:assert/strict'
import { checkSdp, sdpProblems } from '../../../src/calls/check-sdp.ts'
import { AppError } from '../../../src/contract/errors.ts'
import { describe, test } from '../../support/harness.ts'

const head = ['v=0', 'o=- 7602563700000000000 2 IN IP4 127.0.0.1', 's=-', 't=0 0', 'a=group:BUNDLE audio']
const media = ['m=audio 40012 UDP/TLS/RTP/SAVPF 111 126', 'c=IN IP4 203.0.113.60']
const ice = ['a=ice-ufrag:simU/2', 'a=ice-pwd:simPassword0123456789abcd']
const dtls = [`a=fingerprint:sha-256 ${'AB:'.repeat(31)}AB`, 'a=setup:active']
const codec = ['a=mid:audio', 'a=sendrecv', 'a=rtcp-mux', 'a=rtpmap:111 opus/48000/2']

const text = (...lines: string[]) => `${lines.join('\r\n')}\r\n`
const good = text(...head, ...media, ...ice, ...dtls, ...codec)
const without = (line: string) => good.replace(new RegExp(`a=${line}.*\r\n`), '')

describe('SDP', () => {
  test('of an audio session is taken, with its attributes in the section or before all sections', () => {
    assert.deepEqual(sdpProblems(good), [])
    assert.deepEqual(sdpProblems(text(...head, ...ice, ...dtls, ...media, ...codec)), [])
    assert.deepEqual(sdpProblems(good.replaceAll('\r\n', '\n')), [])
  })

  for (const line of ['ice-ufrag', 'ice-pwd', 'fingerprint', 'setup'])
    test(`without ${line} is refused by name`, () => {
      assert.deepEqual(sdpProblems(without(line)), [`a=${line} is missing`])
    })

  test('all that is missing is told at once, never what was there', () => {
    const sdp = text(...head, ...media, ...codec)
    assert.throws(
      () => checkSdp(sdp),
      (error) => {
        assert.ok(error instanceof AppError)
        assert.deepEqual([error.code, error.details?.length], ['INVALID_SDP', 4])
        assert.doesNotMatch(JSON.stringify([error.message, error.details]), /203\.0\.113/)
        return true
      },
    )
  })

  test('what thousands of sections lack is said once', () => {
    assert.equal(sdpProblems(text(...head, ...Array(3_000).fill('m=audio 9 X 0'))).length, 4)
  })

  test('with video only, or no section at all, has no audio', () => {
    assert.deepEqual(sdpProblems(good.replace('m=audio', 'm=video')), ['it has no audio section'])
    assert.deepEqual(sdpProblems(text(...head)), ['it has no audio section'])
  })

  test('whose audio has port 0 is refused, unless another section has audio', () => {
    const rejected = good.replace('m=audio 40012', 'm=audio 0')
    assert.deepEqual(sdpProblems(rejected), ['its audio section has port 0, which rejects the audio'])
    assert.throws(
      () => checkSdp(rejected),
      (error) => error instanceof AppError && error.code === 'INVALID_SDP',
    )
    assert.deepEqual(sdpProblems(good + text('m=audio 0 UDP/TLS/RTP/SAVPF 0')), [])
  })

  for (const sdp of [
    '',
    'hello',
    '{"sdp":"v=0"}',
    'v=1\r\no=- 1 1 IN IP4 0.0.0.0\r\n',
    'v=0\r\nm=audio 1 RTP 0',
  ])
    test(`is not ${JSON.stringify(sdp)}`, () => {
      assert.deepEqual(sdpProblems(sdp), ['it is not SDP'])
    })

  test('has 64 KiB at most', () => {
    const line = 'a=candidate:1 1 udp 1 203.0.113.60 40012 typ host\r\n'
    const fits = good + line.repeat(Math.floor((65_536 - good.length) / line.length))
    assert.deepEqual(sdpProblems(fits), [])
    assert.deepEqual(sdpProblems(fits + line), ['it is larger than 65536 bytes'])
  })
})
