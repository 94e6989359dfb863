// Sends a template to the contact: a form for its variables, beside a preview of the message.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TemplateRecord, TemplateVariable } from '../../../../contract/records/catalog.ts'
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import type { MessagePreview } from '../../../../contract/records/message.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { useAction, useList } from '../../core/load.ts'
import { randomText } from '../../core/random-text.ts'
import { hrefOf } from '../../core/router.ts'
import { say } from '../../core/toasts.ts'
import { FormDialog } from '../../parts/dialog.tsx'
import { Select } from '../../parts/field.tsx'
import { ErrorState, Skeleton } from '../../parts/states.tsx'
import { VariableField, variablesOf } from '../../parts/variable-field.tsx'
import { PreviewBubble } from './preview-bubble.tsx'
import { Standing } from './standing.tsx'

interface Props {
  readonly conversation: ConversationRecord
  onClose(): void
  onDone(): void
}

const PAUSE_MS = 200

export function SendTemplate({ conversation, onClose, onDone }: Props) {
  const templates = useTemplates()
  const [chosenId, setChosenId] = useState<string>()
  const [values, setValues] = useState<Values>({})
  const [wasTried, setTried] = useState(false)
  const template = templates.rows?.find(({ id }) => id === chosenId) ?? templates.rows?.[0]
  const message = template && messageOf(conversation, template, values)
  const preview = usePreview(message)
  const keyOf = useKeys()
  const action = useAction()
  const missing = template?.variables.filter(({ name }) => !values[name]?.trim()) ?? []
  const submit = () => {
    setTried(true)
    if (!message || missing.length > 0) return
    void action
      .run(() => api.post(inWorkspace('/messages'), { ...message, idempotencyKey: keyOf(message) }))
      .then((isSent) => {
        if (!isSent) return
        say('The message is on its way.')
        onDone()
      })
  }
  return (
    <FormDialog
      title={`Send a template to ${conversation.contact.name ?? conversation.contact.number}`}
      submit="Send message"
      isWide
      isBusy={action.isBusy}
      error={action.error}
      onClose={onClose}
      onSubmit={submit}
    >
      <Standing conversation={conversation} />
      {templates.error && <ErrorState error={templates.error} onRetry={templates.reload} />}
      {!templates.rows && !templates.error && <Skeleton rows={4} />}
      {templates.rows?.length === 0 && (
        <p>
          No template is approved yet. <a href={hrefOf('templates')}>Submit one</a>; it can be sent when the
          provider has approved it.
        </p>
      )}
      {template && (
        <div class="compose">
          <div class="compose-fields">
            <Select
              label="Template"
              value={template.id}
              options={(templates.rows ?? []).map(({ id, name, language }) => ({
                value: id,
                label: `${name} (${language})`,
              }))}
              onChange={setChosenId}
            />
            <Variables
              key={template.id}
              template={template}
              numberId={conversation.numberId}
              values={values}
              missing={wasTried ? missing : []}
              onChange={setValues}
            />
            {variablesOf(template).length === 0 && <p class="dim">This template takes no variables.</p>}
          </div>
          <PreviewBubble preview={preview} />
        </div>
      )}
    </FormDialog>
  )
}

type Values = Readonly<Record<string, string>>

function Variables({
  template,
  numberId,
  values,
  missing,
  onChange,
}: {
  readonly template: TemplateRecord
  readonly numberId: string
  readonly values: Values
  readonly missing: readonly TemplateVariable[]
  onChange(values: Values): void
}) {
  return (
    <>
      {variablesOf(template).map((variable) => (
        <VariableField
          key={variable.name}
          template={template}
          variable={variable}
          isOptional={template.optionalVariables.includes(variable)}
          numberId={numberId}
          value={values[variable.name] ?? ''}
          error={missing.includes(variable) ? 'must not be empty' : undefined}
          onChange={(value) => onChange({ ...values, [variable.name]: value })}
        />
      ))}
    </>
  )
}

/** Loads all pages: the choice must list every approved template. */
function useTemplates() {
  const list = useList<TemplateRecord>(inWorkspace('/templates', { status: 'APPROVED', limit: 200 }))
  useEffect(() => {
    if (list.hasMore && !list.error) list.loadMore()
  }, [list.rows])
  return list
}

const messageOf = ({ contact, numberId }: ConversationRecord, template: TemplateRecord, values: Values) => ({
  to: contact.number,
  numberId,
  template: {
    name: template.name,
    language: template.language,
    variables: Object.fromEntries(
      variablesOf(template).flatMap((variable) => {
        const value = values[variable.name]?.trim()
        return value ? [[variable.name, value]] : []
      }),
    ),
  },
})

type Message = ReturnType<typeof messageOf>

/** The last preview stays until the next one is loaded. */
function usePreview(message: Message | undefined): MessagePreview | undefined {
  const [preview, setPreview] = useState<MessagePreview>()
  const text = JSON.stringify(message)
  useEffect(() => {
    if (!message) return
    let isOld = false
    const timer = setTimeout(async () => {
      // Ignore a failure: sending reports the reason.
      const next = await api
        .post<MessagePreview>(inWorkspace('/messages/preview'), message)
        .catch(() => undefined)
      if (!isOld && next) setPreview(next)
    }, PAUSE_MS)
    return () => {
      isOld = true
      clearTimeout(timer)
    }
  }, [text])
  return preview
}

/** One idempotency key per content: a retry after a lost response keeps it, a changed message has another. */
function useKeys(): (message: Message) => string {
  const keys = useRef(new Map<string, string>())
  return (message) => {
    const text = JSON.stringify(message)
    const key = keys.current.get(text) ?? `console-${randomText()}`
    keys.current.set(text, key)
    return key
  }
}
