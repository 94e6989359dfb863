import type { EndpointRecord } from '../../../../contract/records/console.ts'
import { Badge } from '../../parts/badge.tsx'

const LIMIT = 20

export function EndpointState({ record }: { readonly record: EndpointRecord }) {
  const { enabled, consecutiveFailures: failures } = record
  if (!enabled) return <Badge tone="bad">{failures >= LIMIT ? 'Off after failures' : 'Off'}</Badge>
  if (failures > 0)
    return (
      <Badge tone="warn">
        {failures} of {LIMIT} failures
      </Badge>
    )
  return <Badge tone="good">On</Badge>
}
