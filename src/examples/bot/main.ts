// npm run bot: an example voice bot. It answers the calls of a number and echoes the audio, or plays a tone.
//   npm run bot -- --tone 440            plays a tone instead
//   npm run bot -- --call +15557000021   places a call to a number that has a conversation
import { parseArgs } from 'node:util'
import { startBot } from './bot.ts'
import type { Log } from './calls.ts'
import { becomeEndpoint, readDevelopment } from './development.ts'
import { connectSwitchboard } from './switchboard.ts'
import { echo, tone } from './voices.ts'

const {
  SWITCHBOARD_URL,
  SWITCHBOARD_KEY,
  SWITCHBOARD_SECRET,
  BOT_HOST = '127.0.0.1',
  BOT_PORT = '9001',
  BOT_MAX_CALLS = '20',
  BOT_MEDIA_ADDRESS,
  DATA_DIR = '.data',
  EXIT_WITH_PARENT,
} = process.env as Record<string, string | undefined>

const log: Log = (event, fields) => void process.stdout.write(`${JSON.stringify({ event, ...fields })}\n`)

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { tone: { type: 'string' }, call: { type: 'string' } } })
  const voice = values.tone === undefined ? echo : tone(Number(values.tone))
  // Without SWITCHBOARD_SECRET, the bot uses the development start of this machine.
  const development = SWITCHBOARD_SECRET ? undefined : readDevelopment(DATA_DIR)
  const switchboard = connectSwitchboard(
    SWITCHBOARD_URL ?? development?.apiUrl ?? 'http://localhost:8080',
    SWITCHBOARD_KEY ?? development?.apiKey ?? '',
  )
  // Fetch the ICE servers now, so that the first caller does not wait for them.
  await switchboard.iceServers()
  const url = `ws://${BOT_HOST}:${BOT_PORT}`
  const secret = SWITCHBOARD_SECRET ?? (development && (await becomeEndpoint(development, url))) ?? ''
  const bot = await startBot({
    switchboard,
    voice,
    maxCalls: Number(BOT_MAX_CALLS),
    // The simulator's handsets use loopback only.
    mediaAddress: BOT_MEDIA_ADDRESS ?? (development && '127.0.0.1'),
    log,
    host: BOT_HOST,
    port: Number(BOT_PORT),
    secret,
  })
  const stop = () => void bot.close().finally(() => process.exit(0))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop)
  if (EXIT_WITH_PARENT === 'true') process.stdin.once('close', stop).resume()
  if (development) log('bot.answers', { number: development.numbers[0]?.number })
  if (values.call) await bot.calls.place(await switchboard.conversationWith(values.call))
}

main().catch((error: Error) => {
  process.stderr.write(`${[error.message, error.cause].filter(Boolean).join(': ')}\n`)
  process.exit(1)
})
