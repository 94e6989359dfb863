import { randomBytes, randomInt } from 'node:crypto'
import { parse } from 'sdp-transform'

export type SdpType = 'offer' | 'answer'

type Check = Readonly<{ ok: (sdp: string) => boolean; problem: string }>

const CHECKS: readonly Check[] = [
  { ok: (sdp) => /^v=0\r?\n/.test(sdp), problem: 'SDP must begin with v=0' },
  { ok: (sdp) => sdp.match(/^m=/gm)?.length === 1, problem: 'SDP must have exactly one media section' },
  { ok: (sdp) => /^m=audio /m.test(sdp), problem: 'SDP must have one audio section' },
  {
    ok: (sdp) => /^m=audio \d+ UDP\/TLS\/RTP\/SAVPF /m.test(sdp),
    problem: 'Transport must be UDP/TLS/RTP/SAVPF',
  },
  {
    ok: (sdp) => /^a=fingerprint:sha-256 [0-9A-F:]{95}\r?$/im.test(sdp),
    problem: 'No fingerprint found in SDP',
  },
  { ok: (sdp) => /^a=ice-ufrag:\S{4,}\r?$/m.test(sdp), problem: 'No ice-ufrag found in SDP' },
  { ok: (sdp) => /^a=ice-pwd:\S{22,}\r?$/m.test(sdp), problem: 'No ice-pwd found in SDP' },
  {
    ok: (sdp) => /^a=rtpmap:\d+ opus\/48000\/2\r?$/im.test(sdp),
    problem: 'No opus/48000/2 codec found in SDP',
  },
  { ok: parses, problem: 'SDP cannot be parsed' },
]

const SETUP: Readonly<Record<SdpType, RegExp>> = {
  offer: /^a=setup:(actpass|active|passive)\r?$/m,
  answer: /^a=setup:(active|passive)\r?$/m,
}

function parses(sdp: string): boolean {
  try {
    return parse(sdp).media.length === 1
  } catch {
    return false
  }
}

/** The problem that the provider would report for an SDP of the business, or undefined. */
export function sdpProblem(sdp: string, type: SdpType): string | undefined {
  const failed = CHECKS.find((check) => !check.ok(sdp))
  if (failed !== undefined) return failed.problem
  return SETUP[type].test(sdp) ? undefined : `SDP ${type} must have a fitting a=setup`
}

const KEPT_CANDIDATE = /^a=candidate:\S+ 1 udp \d+ 127\.0\.0\.1 (\d+) typ host/

/** Whether a line of the library's SDP stays: only loopback candidates, and no attributes of trickle ICE. */
function kept(line: string): boolean {
  if (line.startsWith('a=candidate:')) return KEPT_CANDIDATE.test(line)
  return (
    line !== 'a=ice-lite' &&
    line !== 'a=end-of-candidates' &&
    !/^a=(ice-options|extmap-allow-mixed)/.test(line)
  )
}

/** Rewrites the SDP of the WebRTC library into the provider's format. */
export function asProviderSdp(sdp: string): string {
  const lines = sdp.trimEnd().split(/\r?\n/)
  const port = lines.map((line) => KEPT_CANDIDATE.exec(line)?.[1]).find((found) => found !== undefined) ?? '9'
  return `${lines
    .filter(kept)
    .map((line) => line.replace(/^m=audio \d+/, `a=ice-lite\r\nm=audio ${port}`))
    .map((line) => line.replace(/^c=IN IP4 .*/, 'c=IN IP4 127.0.0.1'))
    .join('\r\n')}\r\n`
}

/** Renames the mid of the audio section. The provider uses the name `audio`, the library uses a number. */
export const renameMid = (sdp: string, from: string, to: string): string =>
  sdp.replace(new RegExp(`^(a=mid:|a=group:BUNDLE )${from}(?=\\r?$)`, 'gm'), `$1${to}`)

/** Makes a new SDP from a template: new ICE credentials, session id and SSRC. Everything else is kept. */
export function stampSdp(template: string): string {
  const ufrag = randomBytes(6).toString('base64')
  const ssrc = randomInt(1, 0xff_ff_ff_ff)
  return template
    .replace(/^o=- \d+/m, `o=- ${randomBytes(7).readUIntBE(0, 6)}`)
    .replace(/^a=ice-ufrag:.*$/m, `a=ice-ufrag:${ufrag}`)
    .replace(/ ufrag \S+/g, ` ufrag ${ufrag}`)
    .replace(/^a=ice-pwd:.*$/m, `a=ice-pwd:${randomBytes(18).toString('base64')}`)
    .replace(/^a=ssrc:\d+/gm, `a=ssrc:${ssrc}`)
}

/** Makes an answer to `offer` from the template: the offer's mid and payload types, the active DTLS role. */
export function stampAnswer(template: string, offer: string): string {
  const mid = /^a=mid:(\S+)/m.exec(offer)?.[1] ?? '0'
  const opus = /^a=rtpmap:(\d+) opus\/48000\/2/im.exec(offer)?.[1] ?? '111'
  const digits = /^a=rtpmap:(\d+) telephone-event\/8000/im.exec(offer)?.[1] ?? '126'
  const answer = stampSdp(template)
    .replace('a=setup:actpass', 'a=setup:active')
    .replace(/^(m=audio .* UDP\/TLS\/RTP\/SAVPF) 111 126/m, `$1 ${opus} ${digits}`)
    .replace(
      /^a=(rtpmap|fmtp|rtcp-fb):(111|126) /gm,
      (_, name, type) => `a=${name}:${type === '111' ? opus : digits} `,
    )
  return renameMid(answer, 'audio', mid)
}

/** The provider supports DTMF digits only at a clock rate of 8000. Removes all other rates from the offer. */
export function withProviderDigits(offer: string): string {
  const others = [...offer.matchAll(/^a=rtpmap:(\d+) telephone-event\/(?!8000\b)/gim)].map(
    (match) => match[1],
  )
  return others.reduce<string>(
    (sdp, type) =>
      sdp
        .replace(new RegExp(`^a=(rtpmap|fmtp|rtcp-fb):${type} .*\\r?\\n`, 'gm'), '')
        .replace(new RegExp(`^(m=audio .*) ${type}(?=[ \\r\\n])`, 'm'), '$1'),
    offer,
  )
}
