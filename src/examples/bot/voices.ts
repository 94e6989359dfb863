// What the bot says. This is the place for a speech model: decode what is heard, encode what is to be said.
import { Encoder } from '@evan/opus'
import { RtpHeader, RtpPacket } from 'werift'

/** Begun when a call is up: gets what the caller says, packet by packet (Opus, 20 ms each), until it is stopped. */
export type Voice = (say: (packet: RtpPacket) => void) => {
  hear(packet: RtpPacket): void
  stop(): void
}

/** Says what it hears. */
export const echo: Voice = (say) => ({
  hear: (packet) => say(packet.clone()),
  stop: () => undefined,
})

const SAMPLE_RATE = 48_000
const FRAME_MS = 20
const SAMPLES = (SAMPLE_RATE * FRAME_MS) / 1000
/** How much is made up for at once when the process was held up. */
const MAX_BURST = 10

/** Plays one tone, of whole hertz. */
export function tone(hertz: number): Voice {
  if (!Number.isInteger(hertz) || hertz < 1) throw new Error('a tone takes whole hertz, such as --tone 440')
  // One second repeats without a seam; every call plays the same frames.
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
