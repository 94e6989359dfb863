import type { DeliveryRecord } from '../../../../contract/records/console.ts'
import { inWorkspace } from '../../core/api.ts'
import { useList } from '../../core/load.ts'
import { hrefOf } from '../../core/router.ts'
import { Section } from '../../parts/facts.tsx'
import { ErrorState, Skeleton } from '../../parts/states.tsx'
import { Table } from '../../parts/table.tsx'
import { deliveryColumns } from '../deliveries/columns.tsx'

const SHOWN = 10

/** The latest deliveries of one endpoint. */
export function Recent({ endpointId }: { readonly endpointId: string }) {
  const { rows, error, reload } = useList<DeliveryRecord>(
    inWorkspace('/deliveries', { endpointId, limit: SHOWN }),
  )
  const all = `${hrefOf('deliveries')}?endpointId=${endpointId}`
  return (
    <Section title="Latest deliveries" actions={<a href={all}>Show all</a>}>
      {error && <ErrorState error={error} onRetry={reload} />}
      {!rows && !error && <Skeleton rows={3} />}
      {rows?.length === 0 && (
        <p class="dim">Nothing was sent to it yet. A test event shows whether it answers.</p>
      )}
      {rows && rows.length > 0 && (
        <Table
          label="Latest deliveries"
          columns={deliveryColumns}
          rows={rows}
          hrefOf={({ id }) => `${hrefOf('deliveries', id)}?endpointId=${endpointId}`}
        />
      )}
    </Section>
  )
}
