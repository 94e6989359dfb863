// npm run reapply: applies again, after an upgrade, what the provider told and nothing was made of.
import { createHmac } from 'node:crypto'
import { parseArgs } from 'node:util'
import { unappliedReasons } from '../contract/inbound-elements.ts'
import { loadSettings } from '../platform/config/config.ts'
import { readDevFile } from '../platform/config/dev-file.ts'
import { createInboundElementStore } from '../platform/postgres/inbound-elements.store.ts'
import { connectPool } from '../platform/postgres/sql.ts'
import { CommandRefused, runCommand } from '../platform/process/command.ts'
import { idFloor } from '../shared/ids.ts'
import { type AppliedAgain, applyAgain, ElementFailed } from './incoming/apply-again.ts'

const usage = `npm run reapply -- [options]

Reads the elements of webhooks that nothing was made of, and gives those that this version understands to a running
gateway of this version. It can be run again at any time: nothing is applied twice. What the gateway cannot apply is
counted, and the others follow.

  --dry-run                 only prints how many there are, and how many are understood
  --reason <reason>         only these; can be repeated. Default: all but irrelevant
                            ${unappliedReasons.join(', ')}
  --since <time>            only what came at or after this time, such as 2026-11-22T08:00:00Z
  --until <time>            only what came before this time
  --gateway <url>           default: PUBLIC_URL, or http://localhost:PORT

It needs DATABASE_URL and PROVIDER_APP_SECRET as the gateways have them, or a running npm start.
`

const options = {
  reason: { type: 'string', multiple: true },
  since: { type: 'string' },
  until: { type: 'string' },
  gateway: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

const requestTimeoutMs = 20_000

function surroundings(gateway: string | undefined) {
  const { DATABASE_URL, PROVIDER_APP_SECRET, PUBLIC_URL, PORT, DATA_DIR } = loadSettings()
  const dev = DATABASE_URL === undefined ? readDevFile(DATA_DIR) : undefined
  const databaseUrl = DATABASE_URL ?? dev?.databaseUrl
  const appSecret = dev?.provider.appSecret ?? PROVIDER_APP_SECRET
  if (databaseUrl === undefined || appSecret === undefined)
    throw new CommandRefused('set DATABASE_URL and PROVIDER_APP_SECRET, or run npm start first')
  const base = gateway ?? dev?.provider.webhookUrl ?? PUBLIC_URL ?? `http://localhost:${PORT}`
  return { databaseUrl, appSecret, webhookUrl: new URL('/provider/webhooks', base) }
}

const poster =
  ({ appSecret, webhookUrl }: ReturnType<typeof surroundings>) =>
  async (body: string): Promise<string> => {
    const signature = createHmac('sha256', appSecret).update(body).digest('hex')
    const answer = await fetch(webhookUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` },
      body,
      signal: AbortSignal.timeout(requestTimeoutMs),
    })
    const text = await answer.text()
    if (answer.status === 401)
      throw new CommandRefused('the gateway answered 401: PROVIDER_APP_SECRET must be the one that it has')
    if (answer.status !== 200) throw new ElementFailed(`the gateway answered ${answer.status}`)
    return text
  }

/** As the smallest id of that time. */
function boundOf(text: string | undefined, name: string, otherwise: string): string {
  if (text === undefined) return otherwise
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw new CommandRefused(`--${name} must be a time, such as 2026-11-22T08:00:00Z`)
  return idFloor(at)
}

function reasonsOf(given: readonly string[] | undefined): readonly string[] {
  const known: readonly string[] = unappliedReasons
  const wrong = given?.find((reason) => !known.includes(reason))
  if (wrong !== undefined) throw new CommandRefused(`${wrong} is no reason; they are ${known.join(', ')}`)
  return given ?? known.filter((reason) => reason !== 'irrelevant')
}

const linesOf = ({ found, applied, left, failed }: AppliedAgain, isDryRun: boolean): string[] => [
  ...[...found].map(
    ([reason, { all, understood }]) => `${reason}: ${all} kept, ${understood} understood now`,
  ),
  ...(isDryRun ? [] : [`applied: ${applied}`]),
  ...[...left].map(([reason, count]) => `understood, and still nothing made of it (${reason}): ${count}`),
  ...[...failed].map(([reason, count]) => `failed (${reason}): ${count}`),
]

async function main(): Promise<void> {
  const { values } = parseArgs({ options })
  if (values.help) throw new CommandRefused(usage)
  const filter = {
    reasons: reasonsOf(values.reason),
    from: boundOf(values.since, 'since', idFloor(0)),
    // Not what comes while it runs: that is of this version.
    until: boundOf(values.until, 'until', idFloor(Date.now())),
  }
  const place = surroundings(values.gateway)
  const sql = connectPool({ url: place.databaseUrl, max: 1, name: 'reapply' })
  try {
    const isDryRun = values['dry-run']
    const store = createInboundElementStore(sql)
    const result = await applyAgain({ store, post: poster(place), filter, isDryRun })
    for (const line of linesOf(result, isDryRun)) process.stdout.write(`${line}\n`)
    if (result.found.size === 0) process.stdout.write('everything was understood\n')
    if (result.failed.size > 0)
      throw new CommandRefused(
        'what failed is as it was: the log of the gateway says why. Run this again then',
      )
  } finally {
    await sql.end({ timeout: 1 })
  }
}

await runCommand(main)
