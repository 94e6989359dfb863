import type { OverviewRecord } from '../../../../contract/records/overview.ts'
import { inWorkspace } from '../../core/api.ts'
import { useTopic } from '../../core/live.ts'
import { useResource } from '../../core/load.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { ErrorState, Skeleton } from '../../parts/states.tsx'
import { NeedsAttention } from './attention.tsx'
import { Figures } from './figures.tsx'
import { GettingStarted, useSteps } from './getting-started.tsx'
import { Trends } from './trends.tsx'

export function Page() {
  const first = useResource<OverviewRecord>(inWorkspace('/overview'))
  const overview = useTopic<OverviewRecord>('overview') ?? first.data
  const { steps, hide } = useSteps()
  const isReady = overview !== undefined && steps !== undefined
  return (
    <>
      <PageHeader title="Overview" intro="Activity now, and what needs attention." />
      {first.error && !overview && <ErrorState error={first.error} onRetry={first.reload} />}
      {!isReady && !first.error && <Skeleton rows={5} />}
      {isReady && (
        <>
          {steps.some(({ isDone }) => !isDone) && <GettingStarted steps={steps} onHide={hide} />}
          <NeedsAttention items={overview.attention} />
          <Figures overview={overview} />
          <Trends attempts={overview.attempts} />
        </>
      )}
    </>
  )
}
