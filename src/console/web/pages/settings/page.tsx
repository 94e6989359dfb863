import type { WorkspaceDetail } from '../../../../contract/records/console.ts'
import { inWorkspace } from '../../core/api.ts'
import { count, plural } from '../../core/format.ts'
import { useResource } from '../../core/load.ts'
import { loadMe, me } from '../../core/session.ts'
import { sayError } from '../../core/toasts.ts'
import { Copyable } from '../../parts/code.tsx'
import { Facts, Section } from '../../parts/facts.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { ErrorState, Skeleton } from '../../parts/states.tsx'
import { Ago } from '../../parts/time.tsx'
import { ContentDays } from './content-days.tsx'
import { Name } from './name.tsx'
import { SignInRules } from './sign-in-rules.tsx'
import { Standing } from './standing.tsx'

export function Page() {
  const { data, error, reload, set } = useResource<WorkspaceDetail>(inWorkspace(''))
  const changed = (record: WorkspaceDetail) => {
    set(record)
    // The shell shows the name and the status too.
    void loadMe().catch(sayError)
  }
  return (
    <>
      <PageHeader title="Settings" intro="What holds for the whole workspace." />
      {error && <ErrorState error={error} onRetry={reload} />}
      {!data && !error && <Skeleton rows={8} />}
      {data && (
        <>
          <Workspace record={data} onChange={changed} />
          <SignInRules record={data} onChange={changed} />
          <Identifiers record={data} />
          <Limits record={data} onChange={changed} />
        </>
      )}
    </>
  )
}

const Workspace = ({
  record,
  onChange,
}: {
  readonly record: WorkspaceDetail
  onChange(record: WorkspaceDetail): void
}) => (
  <Section title="Workspace">
    <Facts
      facts={[
        ['Name', <Name key="name" record={record} onChange={onChange} />],
        ['Status', <Standing key="status" record={record} onChange={onChange} />],
        ['Created', <Ago key="created" at={record.createdAt} />],
      ]}
    />
  </Section>
)

const Identifiers = ({ record }: { readonly record: WorkspaceDetail }) => (
  <Section title="Identifiers">
    <Facts
      facts={[
        ['Workspace', <Copyable key="id" what="workspace ID" text={record.id} />],
        [
          'Business account',
          record.wabaId === null ? (
            <span class="dim">None is connected</span>
          ) : (
            <Copyable key="waba" what="business account" text={record.wabaId} />
          ),
        ],
        ['Access token', record.hasOwnToken ? 'One of its own' : 'That of the installation'],
        ['API address', <Copyable key="api" what="API address" text={`${location.origin}/api/v1`} />],
        ['You', <Copyable key="you" what="your ID" text={me.value?.operator.id ?? ''} />],
      ]}
    />
  </Section>
)

const Limits = ({
  record,
  record: { retentionDays, limits },
  onChange,
}: {
  readonly record: WorkspaceDetail
  onChange(record: WorkspaceDetail): void
}) => (
  <Section title="Retention and limits">
    <Facts
      facts={[
        ['Kept for', `Events, deliveries, attempts and call timelines: ${plural(retentionDays, 'day')}`],
        ['Texts and files', <ContentDays key="content" record={record} onChange={onChange} />],
        ['Endpoints', `At most ${count(limits.endpoints)}`],
        ['Requests', `Bodies of at most ${count(limits.bodyBytes / 1024)} KiB`],
        ['Recipients', `At most ${count(limits.recipientsPerCall)} in one request`],
      ]}
    />
  </Section>
)
