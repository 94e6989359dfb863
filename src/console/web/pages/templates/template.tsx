import type { TemplateVariable } from '../../../../contract/records/catalog.ts'
import type { TemplateDetail } from '../../../../contract/records/console.ts'
import { inWorkspace } from '../../core/api.ts'
import { sentence } from '../../core/format.ts'
import { useResource, useWatch } from '../../core/load.ts'
import { hrefOf } from '../../core/router.ts'
import { AccountStates } from '../../parts/account-states.tsx'
import { CodeBlock } from '../../parts/code.tsx'
import { type Fact, Facts, Section } from '../../parts/facts.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { ErrorState, Note, Skeleton } from '../../parts/states.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { Ago } from '../../parts/time.tsx'
import { Bubble } from './bubble.tsx'
import { titleOfLanguage } from './languages.ts'
import { meaningOf, TemplateState } from './state.tsx'

export function TemplatePage({ id }: { readonly id: string }) {
  const { data, error, reload } = useResource<TemplateDetail>(inWorkspace(`/templates/${id}`))
  useWatch(data?.status === 'PENDING', reload)
  const back = { href: hrefOf('templates'), title: 'Templates' }
  return (
    <>
      <PageHeader title={data?.name ?? 'Template'} back={back} />
      {!data && (error ? <ErrorState error={error} onRetry={reload} /> : <Skeleton rows={8} />)}
      {data && (
        <div class="beside">
          <div>
            <Known record={data} />
            <AccountStates title="At the provider" query={`templateId=${data.id}`} />
            {data.unsupported.length > 0 && (
              <Note>
                It cannot be sent from here, because it has what Switchboard does not know:{' '}
                {data.unsupported.join(', ')}.
              </Note>
            )}
            {data.variables.length > 0 && <Variables title="Variables" variables={data.variables} />}
            {data.optionalVariables.length > 0 && (
              <Variables title="Optional variables" variables={data.optionalVariables} />
            )}
            {data.status === 'APPROVED' && (
              <Section title="Send it">
                <CodeBlock label="POST /api/v1/messages/chat" text={exampleOf(data)} />
              </Section>
            )}
          </div>
          <Bubble preview={data.preview} />
        </div>
      )}
    </>
  )
}

function Known({ record }: { readonly record: TemplateDetail }) {
  const { status, statusReason, language, category } = record
  const facts: Fact[] = [
    [
      'Status',
      <span key="status" class="stack">
        <span>
          <TemplateState status={status} />
        </span>
        <small>{meaningOf[status]}</small>
      </span>,
    ],
    ...(statusReason === null ? [] : [['Reason', <Reason key="reason" reason={statusReason} />] as const]),
    ['Language', `${titleOfLanguage(language)} (${language})`],
    ['Category', sentence(category)],
    ['Changed', <Ago key="changed" at={record.updatedAt} />],
  ]
  return (
    <Section title="Template">
      <Facts facts={facts} />
    </Section>
  )
}

/** Advice for the rejection reasons of the provider that are known. */
const advice: Readonly<Record<string, string>> = {
  INVALID_FORMAT: 'Look at the variables: their braces, their examples, and text before and after them.',
  ABUSIVE_CONTENT: 'It threatens or insults, or asks for what is private.',
  TAG_CONTENT_MISMATCH: 'The text or its language does not fit the category or the language you chose.',
  PROMOTIONAL: 'It advertises: submit it in the category Marketing.',
  SCAM: 'It looks like a fraud to the provider.',
}

const Reason = ({ reason }: { readonly reason: string }) => (
  <span class="stack">
    <span>{sentence(reason)}</span>
    {advice[reason] && <small>{advice[reason]}</small>}
  </span>
)

const Variables = ({
  title,
  variables,
}: {
  readonly title: string
  readonly variables: readonly TemplateVariable[]
}) => (
  <Section title={title}>
    <Table
      label={title}
      columns={variableColumns}
      rows={variables.map((variable) => ({ ...variable, id: `${variable.in} ${variable.name}` }))}
    />
  </Section>
)

const variableColumns: readonly Column<TemplateVariable>[] = [
  { title: 'Name', cell: ({ name }) => <code>{name}</code> },
  { title: 'Example', cell: ({ example }) => example ?? <span class="dim">None</span> },
  { title: 'In', cell: (variable) => sentence(variable.in) },
  { title: 'Kind', isMinor: true, cell: (variable) => sentence(variable.kind) },
]

const exampleOf = ({ name, language, variables }: TemplateDetail): string =>
  JSON.stringify(
    {
      to: '+15551234567',
      template: {
        name,
        language,
        variables: Object.fromEntries(variables.map((one) => [one.name, one.example ?? ''])),
      },
    },
    null,
    2,
  )
