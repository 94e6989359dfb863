import type { EndpointRecord } from '../../../../contract/records/console.ts'
import { Badge } from '../../parts/badge.tsx'

const LIMIT = 20

/** Whether events are sent to it. How often it failed in a row counts until it is turned off, at twenty. */
export function EndpointState({ record }: { readonly record: EndpointRecord }) {
  const { enabled, disabledReason, consecutiveFailures: failures } = record
  if (!enabled)
    return (
      <Badge tone="bad">{disabledReason === 'FAILURES' ? `Off after ${failures} failures` : 'Off'}</Badge>
    )
  if (failures > 0)
    return (
      <span title={`At ${LIMIT} failures in a row it is turned off.`}>
        <Badge tone="warn">
          {failures === 1 ? 'On, last attempt failed' : `On, ${failures} failures in a row`}
        </Badge>
      </span>
    )
  return <Badge tone="good">On</Badge>
}
