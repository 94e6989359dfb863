// Checks that a text is SDP that the provider can use. Errors name what is missing and never quote the SDP.
import { type SessionDescription as ParsedSdp, parse } from 'sdp-transform'
import { AppError, type ErrorDetail } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'

type Section = ParsedSdp['media'][number]

/** Throws INVALID_SDP where the text is not an audio session with ICE and DTLS. */
export function checkSdp(sdp: string): void {
  const problems = sdpProblems(sdp)
  if (problems.length === 0) return
  const details: ErrorDetail[] = problems.map((message) => ({ path: 'session.sdp', message }))
  throw new AppError('INVALID_SDP', `session.sdp cannot be used: ${problems.join('; ')}`, { details })
}

export function sdpProblems(sdp: string): string[] {
  if (Buffer.byteLength(sdp) > limits.sdpBytes) return [`it is larger than ${limits.sdpBytes} bytes`]
  const parsed = parsedSdp(sdp)
  if (!parsed) return ['it is not SDP']
  const audio = parsed.media.filter((section) => section.type === 'audio')
  if (audio.length === 0) return ['it has no audio section']
  // Port 0 rejects a section (RFC 3264): nothing of it is used, so it needs no attributes either.
  const wanted = audio.filter(({ port }) => port !== 0)
  if (wanted.length === 0) return ['its audio section has port 0, which rejects the audio']
  // A session can have thousands of sections, so report each missing attribute only once.
  return [...new Set(wanted.flatMap((section) => missing(parsed, section)))]
}

// The library skips unknown lines, so it parses any text. Recognise SDP by its first lines.
function parsedSdp(sdp: string): ParsedSdp | undefined {
  if (!/^v=0\r?\n/.test(sdp) || !/\no=\S+ /.test(sdp)) return undefined
  try {
    return parse(sdp)
  } catch {
    return undefined
  }
}

/** ICE and DTLS attributes may stand in the audio section or before all sections (RFC 8839, RFC 8842). */
function missing(session: ParsedSdp, audio: Section): string[] {
  const has = (read: (from: ParsedSdp | Section) => unknown): boolean => Boolean(read(audio) ?? read(session))
  const required: readonly [boolean, string][] = [
    [has((from) => from.iceUfrag), 'a=ice-ufrag is missing'],
    [has((from) => from.icePwd), 'a=ice-pwd is missing'],
    [has((from) => from.fingerprint), 'a=fingerprint is missing'],
    [has((from) => from.setup), 'a=setup is missing'],
  ]
  return required.filter(([isThere]) => !isThere).map(([, message]) => message)
}
