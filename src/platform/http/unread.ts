// For a response that is produced while the request body arrives. If a full socket stopped the producer, a
// client that first sends everything and then reads would cause a deadlock. So the producer runs ahead of the
// reader, up to a limit.

export interface UnreadOptions {
  readonly maxBytes: number
  /** True while more of the body is to come. Afterwards no limit applies, because little output remains. */
  readonly isFlowing: () => boolean
  /** Called when the limit is exceeded. Production stops. */
  readonly onFull: () => void
}

export async function* readAheadOf(
  source: AsyncIterable<Uint8Array>,
  { maxBytes, isFlowing, onFull }: UnreadOptions,
): AsyncGenerator<Uint8Array> {
  const unread: Uint8Array[] = []
  let bytes = 0
  let isLeft = false
  let wake = (): void => undefined
  const make = async (): Promise<void> => {
    for await (const chunk of source) {
      if (isLeft) return
      unread.push(chunk)
      bytes += chunk.byteLength
      if (bytes > maxBytes && isFlowing()) return onFull()
      wake()
    }
  }
  let outcome: { readonly error?: unknown } | undefined
  const making = make().then(
    () => ({}),
    (error: unknown) => ({ error }),
  )
  void making.then((settled) => {
    outcome = settled
    wake()
  })
  try {
    for (;;) {
      const chunk = unread.shift()
      if (chunk) {
        yield chunk
        bytes -= chunk.byteLength
      } else if (outcome) {
        if ('error' in outcome) throw outcome.error
        return
      } else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    isLeft = true
  }
}
