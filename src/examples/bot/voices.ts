// The audio that the bot sends. A speech model belongs here: decode received audio, encode audio to send.
import { Encoder } from '@evan/opus'
import { RtpHeader, RtpPacket } from 'werift'

/** Started when a call is connected. Gets the caller's audio in packets (Opus, 20 ms) until it is stopped. */
export type Voice = (say: (packet: RtpPacket) => void) => {
  hear(packet: RtpPacket): void
  stop(): void
}

/** Sends the caller's audio back. */
export const echo: Voice = (say) => ({
  hear: (packet) => say(packet.clone()),
  stop: () => undefined,
})

const SAMPLE_RATE = 48_000
const FRAME_MS = 20
const SAMPLES = (SAMPLE_RATE * FRAME_MS) / 1000
/** Maximum number of frames to send at once after the process was blocked. */
const MAX_BURST = 10

/** Plays one tone. `hertz` must be a whole number. */
export function tone(hertz: number): Voice {
  if (!Number.isInteger(hertz) || hertz < 1) throw new Error('a tone takes whole hertz, such as --tone 440')
  // With whole hertz, one second of audio can repeat without a gap. Every call plays the same frames.
  const frames = encodeSecond(hertz)
  return (say) => {
    const startedAt = performance.now()
    let said = 0
    const timer = setInterval(() => {
      const due = Math.floor((performance.now() - startedAt) / FRAME_MS)
      said = Math.max(said, due - MAX_BURST)
      for (; said < due; said += 1) {
        const header = new RtpHeader({
          sequenceNumber: said % 65_536,
          timestamp: (said * SAMPLES) % 2 ** 32,
          marker: said === 0,
        })
        say(new RtpPacket(header, frames[said % frames.length] ?? Buffer.alloc(0)))
      }
    }, FRAME_MS)
    return { hear: () => undefined, stop: () => clearInterval(timer) }
  }
}

function encodeSecond(hertz: number): Buffer[] {
  const encoder = new Encoder({ channels: 1, sample_rate: SAMPLE_RATE, application: 'audio' })
  return Array.from({ length: 1000 / FRAME_MS }, (_, frame) => {
    const pcm = Int16Array.from({ length: SAMPLES }, (_sample, index) => {
      const seconds = (frame * SAMPLES + index) / SAMPLE_RATE
      return 8000 * Math.sin(2 * Math.PI * hertz * seconds)
    })
    return Buffer.from(encoder.encode(pcm))
  })
}
