// What a handset with a voice says and hears: tones in Opus, 20 ms a packet.
import { Decoder, Encoder } from '@evan/opus'

const SAMPLE_RATE = 48_000
export const FRAME_MS = 20
/** Samples a frame, which is also what an RTP timestamp moves by. */
export const FRAME_SAMPLES = (SAMPLE_RATE * FRAME_MS) / 1000
/** Half a second: enough to tell tones apart that are a few hertz from each other. */
const FRAMES_REMEMBERED = 25
/** Below it there is silence, of samples up to 32,767. */
const AUDIBLE = 500

/** The frames of an endless tone, one a call. */
export function toneFrames(hertz: number): () => Buffer {
  const encoder = new Encoder({ channels: 1, sample_rate: SAMPLE_RATE, application: 'audio' })
  let sample = 0
  return () => {
    const pcm = Int16Array.from({ length: FRAME_SAMPLES }, (_, index) => {
      return 8000 * Math.sin((2 * Math.PI * hertz * (sample + index)) / SAMPLE_RATE)
    })
    sample = (sample + FRAME_SAMPLES) % SAMPLE_RATE
    return Buffer.from(encoder.encode(pcm))
  }
}

export interface Ear {
  /** The payload of an RTP packet; what is no Opus is not heard. */
  hear(payload: Buffer): void
  /** The pitch of the last half second; null until there is so much, and for silence. */
  hertz(): number | null
}

export function createEar(): Ear {
  const decoder = new Decoder({ channels: 1, sample_rate: SAMPLE_RATE })
  const frames: { readonly crossings: number; readonly loudest: number }[] = []
  let last = 0
  return {
    hear(payload) {
      const pcm = decoded(decoder, payload)
      if (pcm === undefined) return
      let crossings = 0
      let loudest = 0
      for (const value of pcm) {
        if (value < 0 !== last < 0) crossings += 1
        loudest = Math.max(loudest, Math.abs(value))
        last = value
      }
      frames.push({ crossings, loudest })
      if (frames.length > FRAMES_REMEMBERED) frames.shift()
    },
    hertz() {
      if (frames.length < FRAMES_REMEMBERED) return null
      if (frames.some(({ loudest }) => loudest < AUDIBLE)) return null
      const crossings = frames.reduce((sum, frame) => sum + frame.crossings, 0)
      return Math.round((crossings / 2) * (1000 / (FRAMES_REMEMBERED * FRAME_MS)))
    },
  }
}

function decoded(decoder: Decoder, payload: Buffer): Int16Array | undefined {
  try {
    const bytes = decoder.decode(payload)
    // A copy, since the bytes may not begin where samples may.
    return new Int16Array(new Uint8Array(bytes).buffer)
  } catch {
    return undefined
  }
}
