// Parses the durations of settings: `10s`, `1m`, `250ms`, `2h`.

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const pattern = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/

/** Milliseconds, or undefined when the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  const match = pattern.exec(text.trim())
  if (!match) return undefined
  return Number(match[1]) * units[match[2] as keyof typeof units]
}
