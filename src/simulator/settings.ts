import * as v from 'valibot'

const digits = v.pipe(v.string(), v.regex(/^\d{5,20}$/, 'must be digits only'))

export const BusinessNumberSetting = v.strictObject({
  phoneNumberId: digits,
  displayPhoneNumber: digits,
  verifiedName: v.pipe(v.string(), v.minLength(1)),
  /** HIGH: 1,000 messages a second instead of 80. */
  throughput: v.optional(v.picklist(['STANDARD', 'HIGH']), 'STANDARD'),
})
export type BusinessNumberSetting = v.InferOutput<typeof BusinessNumberSetting>

const integer = (fallback: number, max: number) =>
  v.optional(
    v.pipe(v.string(), v.regex(/^\d+$/, 'must be a whole number'), v.transform(Number), v.maxValue(max)),
    String(fallback),
  )

const json = v.rawTransform<string, unknown>(({ dataset, addIssue, NEVER }) => {
  try {
    return JSON.parse(dataset.value)
  } catch {
    addIssue({ message: 'must be JSON' })
    return NEVER
  }
})

const urls = v.pipe(
  v.optional(v.string(), ''),
  v.transform((text) => text.split(',').map((url) => url.trim())),
  v.transform((list) => list.filter((url) => url !== '')),
  v.array(v.pipe(v.string(), v.url('must be a URL'))),
)

const DEMO_NUMBERS = JSON.stringify([
  { phoneNumberId: '106540352242922', displayPhoneNumber: '15550001111', verifiedName: 'North Dock' },
  { phoneNumberId: '106540352242923', displayPhoneNumber: '15550002222', verifiedName: 'North Dock Support' },
])

const Env = v.pipe(
  v.object({
    SIM_PORT: integer(8090, 65_535),
    HOST: v.optional(v.string(), '127.0.0.1'),
    SIM_WEBHOOK_URL: urls,
    SIM_APP_SECRET: v.optional(v.string(), 'sim-app-secret'),
    SIM_VERIFY_TOKEN: v.optional(v.string(), 'sim-verify-token'),
    SIM_ACCESS_TOKEN: v.optional(v.string(), 'sim-access-token'),
    SIM_WABA_ID: v.optional(digits, '102290129340398'),
    SIM_NUMBERS: v.pipe(
      v.optional(v.string(), DEMO_NUMBERS),
      json,
      v.array(BusinessNumberSetting),
      v.minLength(1),
    ),
    SIM_TEMPLATES: v.optional(v.string()),
    SIM_RING_TIMEOUT_MS: integer(45_000, 600_000),
    SIM_EXIT_WITH_PARENT: v.pipe(
      v.optional(v.string(), '0'),
      v.transform((flag) => flag === '1'),
    ),
    LOG_LEVEL: v.optional(v.string(), 'info'),
  }),
  v.transform((env) => ({
    port: env.SIM_PORT,
    host: env.HOST,
    webhookUrls: env.SIM_WEBHOOK_URL,
    appSecret: env.SIM_APP_SECRET,
    verifyToken: env.SIM_VERIFY_TOKEN,
    accessToken: env.SIM_ACCESS_TOKEN,
    wabaId: env.SIM_WABA_ID,
    numbers: env.SIM_NUMBERS,
    templatesFile: env.SIM_TEMPLATES,
    ringTimeoutMs: env.SIM_RING_TIMEOUT_MS,
    exitWithParent: env.SIM_EXIT_WITH_PARENT,
    logLevel: env.LOG_LEVEL,
  })),
)

export type SimulatorSettings = v.InferOutput<typeof Env>

/** Reads the settings. Throws an error whose message names every wrong setting. */
export function simulatorSettings(env: Readonly<Record<string, string | undefined>>): SimulatorSettings {
  const result = v.safeParse(Env, env)
  if (result.success) return result.output
  const wrong = result.issues.map((issue) => `${v.getDotPath(issue) ?? 'settings'}: ${issue.message}`)
  throw new Error(`the simulator's settings are wrong: ${wrong.join('; ')}`)
}
