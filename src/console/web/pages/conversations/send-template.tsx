// Sends a template to the contact: the choice of one, then a form for its variables beside what the customer will see.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TemplateRecord, TemplateVariable } from '../../../../contract/records/catalog.ts'
import type { ThreadEntry } from '../../../../contract/records/console.ts'
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import type { MessagePreview } from '../../../../contract/records/message.ts'
import { api, inWorkspace } from '../../core/api.ts'
import { useAction, useWholeList } from '../../core/load.ts'
import { say } from '../../core/toasts.ts'
import { Button } from '../../parts/button.tsx'
import { CloseButton, Dialog, DialogActions, DialogBody } from '../../parts/dialog.tsx'
import { Problem } from '../../parts/states.tsx'
import { VariableField, variablesOf } from '../../parts/variable-field.tsx'
import { PreviewBubble } from './preview-bubble.tsx'
import { forgetSeen, forgetSent, keyOf, type TemplateKeys } from './template-keys.ts'
import { TemplateList } from './template-list.tsx'
import { nameOf, recipientOf } from './words.ts'

interface Props {
  readonly conversation: ConversationRecord
  /** They outlive this dialog. */
  readonly keys: TemplateKeys
  /** What is seen in the thread behind it. */
  readonly entries: readonly ThreadEntry[]
  onClose(): void
  onDone(): void
}

const PAUSE_MS = 200

/** First the template, then its variables beside what the customer will see. */
export function SendTemplate({ conversation, keys, entries, onClose, onDone }: Props) {
  useState(() => forgetSeen(keys, entries))
  const templates = useWholeList<TemplateRecord>(
    inWorkspace('/templates', { status: 'APPROVED', limit: 200 }),
  )
  const [template, setTemplate] = useState<TemplateRecord>()
  return (
    <Dialog title={`Send a template to ${nameOf(conversation)}`} isWide onClose={onClose}>
      {template ? (
        <Filling {...{ conversation, keys, template, onDone }} onBack={() => setTemplate(undefined)} />
      ) : (
        <TemplateList
          templates={templates}
          isMarketingRefused={conversation.contact.marketingOptedOut}
          onChoose={setTemplate}
        />
      )}
    </Dialog>
  )
}

function Filling({
  conversation,
  keys,
  template,
  onDone,
  onBack,
}: Omit<Props, 'entries' | 'onClose'> & { readonly template: TemplateRecord; onBack(): void }) {
  const [values, setValues] = useState<Values>({})
  const [wasTried, setTried] = useState(false)
  const form = useFirstFocus()
  const message = messageOf(conversation, template, values)
  const preview = usePreview(message)
  const action = useAction()
  const missing = template.variables.filter(({ name }) => !values[name]?.trim())
  const submit = () => {
    setTried(true)
    if (missing.length > 0) return focusInvalid(form.current)
    void action
      .run(() => api.post(inWorkspace('/messages'), { ...message, idempotencyKey: keyOf(keys, message) }))
      .then((isSent) => {
        if (!isSent) return
        forgetSent(keys, message)
        say('The message is on its way.')
        onDone()
      })
  }
  return (
    <form
      ref={form}
      class="dialog-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        if (!action.isBusy) submit()
      }}
    >
      <DialogBody>
        <div class="template-chosen">
          <span>
            <strong>{template.name}</strong> <small>{template.language}</small>
          </span>
          <Button onClick={onBack}>Choose another</Button>
        </div>
        <div class="compose">
          <div class="compose-fields">
            <Variables
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
        <Problem error={action.error} />
      </DialogBody>
      <DialogActions>
        <CloseButton />
        <Button type="submit" look="primary" icon="send" isBusy={action.isBusy}>
          Send message
        </Button>
      </DialogActions>
    </form>
  )
}

/** The first field of a form that comes into an open dialog, or its last button where it has none. */
function useFirstFocus() {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    const fields = form.current?.querySelectorAll<HTMLElement>(
      'input:not([type="file"]), textarea, [type="submit"]',
    )
    fields?.[0]?.focus()
  }, [])
  return form
}

const focusInvalid = (form: HTMLFormElement | null): void =>
  void requestAnimationFrame(() => form?.querySelector<HTMLElement>('[aria-invalid]')?.focus())

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
          error={missing.includes(variable) ? 'Enter a value' : undefined}
          onChange={(value) => onChange({ ...values, [variable.name]: value })}
        />
      ))}
    </>
  )
}

const messageOf = ({ contact, numberId }: ConversationRecord, template: TemplateRecord, values: Values) => ({
  to: recipientOf(contact),
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
function usePreview(message: Message): MessagePreview | undefined {
  const [preview, setPreview] = useState<MessagePreview>()
  const text = JSON.stringify(message)
  useEffect(() => {
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
