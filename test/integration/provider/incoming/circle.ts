// The whole circle on loopback: the adapter sends requests to the simulator, whose webhooks arrive at the
// real HTTP server and become updates.
import { pino } from 'pino'
import type { ProviderAccount } from '../../../../src/contract/provider.ts'
import type { ProviderUpdate, ProviderUpdateType } from '../../../../src/contract/provider-updates.ts'
import { listen } from '../../../../src/platform/http/uws.ts'
import { providerWebhooks, type ReceivedRecord } from '../../../../src/provider/incoming/webhooks.ts'
import { simulatorSettings } from '../../../../src/simulator/settings.ts'
import { startSimulator } from '../../../../src/simulator/simulator.ts'
import { adapter } from '../outgoing/rig.ts'

export const NUMBER = '15550001111'
const APP_SECRET = 'app-secret-for-tests'
const DEADLINE_MS = 15_000

export const account: ProviderAccount = {
  workspaceId: 'workspace-1',
  phoneNumberId: '106540352242922',
  wabaId: '102290129340398',
  accessToken: 'sim-token-for-tests',
}

type UpdateOf<Type extends ProviderUpdateType> = Extract<ProviderUpdate, { type: Type }>

export type Circle = Awaited<ReturnType<typeof startCircle>>

/** Records the updates that came in, and lets a test wait for more. */
function journal() {
  const updates: ProviderUpdate[] = []
  const waiting = new Set<() => void>()
  const until = (ready: () => boolean, what: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(check)
        reject(new Error(`no ${what} in ${updates.map(({ type }) => type).join(', ')}`))
      }, DEADLINE_MS)
      function check() {
        if (!ready()) return
        clearTimeout(timer)
        waiting.delete(check)
        resolve()
      }
      waiting.add(check)
      check()
    })
  const wake = () => {
    for (const check of [...waiting]) check()
  }
  return { updates, until, wake }
}

export async function startCircle() {
  const { updates, until, wake } = journal()
  const records: ReceivedRecord[] = []
  const state = { refuse: 0 }
  const server = await listen({
    host: '127.0.0.1',
    port: 0,
    maxInFlight: 100,
    handler: providerWebhooks({
      appSecret: APP_SECRET,
      verifyToken: 'verify-for-tests',
      log: pino({ level: 'silent' }),
      observe: (record) => {
        records.push(record)
        wake()
      },
      keep: { keep: async () => undefined },
      apply: async (update) => {
        if (state.refuse > 0) {
          state.refuse -= 1
          throw new Error('not durable')
        }
        updates.push(update)
        wake()
        return 'applied'
      },
    }),
  })
  const simulator = await startSimulator(
    simulatorSettings({
      SIM_PORT: '0',
      SIM_WEBHOOK_URL: `http://127.0.0.1:${server.port}/provider/webhooks`,
      SIM_APP_SECRET: APP_SECRET,
      SIM_VERIFY_TOKEN: 'verify-for-tests',
      SIM_ACCESS_TOKEN: account.accessToken,
      LOG_LEVEL: 'error',
    }),
  )
  const { api } = adapter(simulator.url, { timeoutMs: 2_000 })
  const control = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${simulator.url}/sim/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return (await answer.json()) as Record<string, unknown>
  }
  const matching = <Type extends ProviderUpdateType>(type: Type, fits: (update: UpdateOf<Type>) => boolean) =>
    updates.filter(
      (update): update is UpdateOf<Type> => update.type === type && fits(update as UpdateOf<Type>),
    )
  return {
    api,
    control,
    until,
    records,
    state,
    updates,
    matching,
    /** Waits for the first update of this kind that fits. */
    async expect<Type extends ProviderUpdateType>(
      type: Type,
      fits: (update: UpdateOf<Type>) => boolean,
    ): Promise<UpdateOf<Type>> {
      await until(() => matching(type, fits).length > 0, type)
      const [update] = matching(type, fits)
      if (update === undefined) throw new Error('unreachable')
      return update
    },
    async close() {
      await api.close()
      await simulator.close()
      await server.close()
    },
  }
}
