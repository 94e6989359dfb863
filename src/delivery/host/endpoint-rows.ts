// The rows of the endpoint actor: configuration and epoch, what waits, and what is pulled later.

import type { ActorHost, EffectContext } from '../../platform/actors/actor.ts'
import type { Clock } from '../../shared/clock.ts'
import { fairTurns } from '../../shared/fair-turns.ts'
import type { EndpointId } from '../../shared/ids.ts'
import type { Log } from '../../shared/log.ts'
import type { EndpointTx } from '../endpoint.actor.ts'
import type { EndpointEffect, EndpointMessage, Pulled } from '../endpoint.messages.ts'
import { type EndpointState, newEndpointState } from '../endpoint-state.ts'
import type { ProcessBudget } from '../process-budget.ts'
import type { DeliveryStore } from '../store/deliveries.store.ts'
import type { EndpointStore } from '../store/endpoints.store.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'

export interface EndpointRowsOptions {
  readonly endpoints: EndpointStore
  readonly deliveries: DeliveryStore
  readonly processBudget: ProcessBudget
  /** Deliveries whose last attempt was made here and is not written yet. */
  readonly unwritten: (id: EndpointId) => readonly string[]
  readonly clock: Clock
  readonly metrics: DeliveryMetrics
  /** HANDOVER_SILENCE. */
  readonly silenceMs: number
  /** Called when a row has a newer configuration than the actor has received. */
  readonly configChanged: (id: string) => void
  readonly log: Pick<Log, 'warn'>
}

type Context = EffectContext<EndpointMessage>

type Host = ActorHost<EndpointState, EndpointMessage, EndpointTx, EndpointEffect>

export interface EndpointRows extends Pick<Host, 'load' | 'ownerOf' | 'confirm' | 'release'> {
  pull(effect: Extract<EndpointEffect, { type: 'pull' }>, context: Context): void
  reload(effect: Extract<EndpointEffect, { type: 'reload' }>, context: Context): void
}

const pageOfPending = 200
const unknown: Pulled = { items: [], more: { first: true, retries: true } }
/** Backlog reads share the pool with events, so only a few run at once, round-robin between workspaces. */
const pullsAtOnce = 3

export function createEndpointRows(options: EndpointRowsOptions): EndpointRows {
  const { endpoints, deliveries, processBudget, metrics, log } = options
  // Configuration versions that the actors have received.
  const versions = new Map<string, number>()
  const versionOf = (id: string) => versions.get(id) ?? 0
  const pulls = fairTurns(pullsAtOnce)

  async function pull({ token, ...wish }: Extract<EndpointEffect, { type: 'pull' }>, context: Context) {
    const { exclude, first, retries } = wish
    try {
      const pulled = await deliveries.pending(context.id as EndpointId, { exclude, first, retries })
      context.post({ type: 'pulled', token, ...pulled })
    } catch (error) {
      log.warn({ endpointId: context.id, error: String(error) }, 'endpoint.pull_failed')
      context.post({ type: 'pullFailed', token })
    }
  }

  async function reload({ token }: Extract<EndpointEffect, { type: 'reload' }>, context: Context) {
    try {
      const config = (await endpoints.find(context.id as EndpointId)) ?? null
      if (config) versions.set(context.id, config.configVersion)
      context.post({ type: 'reloaded', token, config })
    } catch (error) {
      log.warn({ endpointId: context.id, error: String(error) }, 'endpoint.reload_failed')
      context.post({ type: 'reloadFailed', token })
    }
  }

  return {
    async load(id, loading) {
      const taken = await endpoints.take(id as EndpointId, { ...loading, silenceMs: options.silenceMs })
      if (!taken) return undefined
      versions.set(id, taken.config.configVersion)
      const { config, epoch, silentMs } = taken
      // The deliveries of the last owner go first, which keeps the order over a change of owners. While the
      // last owner may still be sending, they are unknown: they are pulled when the silence is over.
      const unwritten = options.unwritten(id as EndpointId)
      const page = { exclude: unwritten, first: pageOfPending, retries: pageOfPending }
      const pending = silentMs > 0 ? unknown : await deliveries.pending(id as EndpointId, page)
      metrics.arrived(pending.items)
      const quota = processBudget.open(id, epoch, config.workspaceId)
      const state = newEndpointState(config, pending, { quota, nowMs: options.clock.now(), unwritten })
      return { state, epoch, silentMs }
    },
    ownerOf: endpoints.ownerOf,
    async confirm(owned) {
      const changed = await endpoints.changedSince(owned, versionOf)
      const others = changed.filter(({ hasOtherEpoch }) => hasOtherEpoch)
      // One with another epoch is dropped, and has its configuration when it is loaded again.
      for (const { id, configVersion, hasOtherEpoch } of changed)
        if (!hasOtherEpoch && (configVersion ?? 0) > versionOf(id)) options.configChanged(id)
      return new Map(others.map(({ id, ownerEpoch }) => [id, ownerEpoch ?? undefined]))
    },
    async release(owned, sid) {
      await endpoints.release(owned, sid)
      for (const { id, epoch } of owned) {
        versions.delete(id)
        processBudget.close(id, epoch)
      }
    },
    pull: (effect, context) => void pulls.run(effect.workspaceId, () => pull(effect, context)),
    reload: (effect, context) => void reload(effect, context),
  }
}
