// The form for a new template, beside a preview. It submits the template to the provider.
import { useRef, useState } from 'preact/hooks'
import type { TemplateCategory, TemplateRecord } from '../../../../contract/records/catalog.ts'
import { type ApiError, api, inWorkspace } from '../../core/api.ts'
import { useAction } from '../../core/load.ts'
import { hrefOf, navigate } from '../../core/router.ts'
import { can } from '../../core/session.ts'
import { say } from '../../core/toasts.ts'
import { useUnsaved } from '../../core/use-unsaved.ts'
import { Button, LinkButton } from '../../parts/button.tsx'
import { Field, Select, TextArea } from '../../parts/field.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { Note, Problem } from '../../parts/states.tsx'
import { Bubble } from './bubble.tsx'
import { ButtonsForm } from './buttons-form.tsx'
import {
  componentsOf,
  concernOf,
  type Draft,
  emptyDraft,
  type FormPart,
  formatOf,
  isMedia,
  problemsOf,
} from './draft.ts'
import { Examples } from './examples.tsx'
import { languageOptions } from './languages.ts'
import { SampleField } from './sample-field.tsx'
import { usePreview } from './use-preview.ts'

const back = () => ({ href: hrefOf('templates'), title: 'Templates' })

export const TemplateForm = () =>
  can('ADMIN') ? (
    <Editor />
  ) : (
    <>
      <PageHeader title="New template" back={back()} />
      <Note>Templates are submitted by admins and owners of the workspace.</Note>
    </>
  )

function Editor() {
  const [draft, setDraft] = useState(emptyDraft)
  const [isTried, setTried] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const action = useAction()
  const unsaved = useUnsaved()
  const components = componentsOf(draft)
  const preview = usePreview(components)
  const problems = problemsOf(draft)
  const change = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }))
  const errorOf = (field: string): string | undefined =>
    (isTried ? problems[field] : undefined) ?? refusalOf(action.error, field)
  const submit = async () => {
    setTried(true)
    if (Object.keys(problems).length === 0)
      await action.run(async () => {
        const { name, language, category } = draft
        const body = { name, language, category, parameterFormat: formatOf(draft), components }
        const { id } = await api.post<TemplateRecord>(inWorkspace('/templates'), body)
        say(`${name} is submitted for approval.`)
        navigate(hrefOf('templates', id), { replace: true })
      })
    // Focus the first wrong field after the errors are rendered.
    setTimeout(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus())
  }
  const part = { draft, change, errorOf }
  return (
    <>
      <PageHeader
        title="New template"
        intro="The provider reviews it before it can be sent. Once it is approved, its text stays as it is."
        back={back()}
      />
      <div class="with-preview">
        <form
          {...unsaved.watch}
          ref={form}
          class="template-form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            if (!action.isBusy) void submit()
          }}
        >
          <About {...part} />
          <Header {...part} />
          <Text {...part} />
          <Examples {...part} />
          <ButtonsForm {...part} />
          {draft.category === 'MARKETING' && <Offer {...part} />}
          <Note>
            Carousels, templates with products and one-time passwords are made in the provider’s manager. They
            appear here within a few minutes, and are sent like all others.
          </Note>
          <Problem error={action.error} isOfField={action.error && fieldOf(action.error) !== undefined} />
          <div class="inline">
            <Button type="submit" look="primary" isBusy={action.isBusy}>
              Submit for approval
            </Button>
            <LinkButton href={hrefOf('templates')}>Cancel</LinkButton>
          </div>
        </form>
        <Bubble preview={preview} />
      </div>
    </>
  )
}

/** The error of the server or the provider, if it concerns this field. */
function refusalOf(error: ApiError | undefined, field: string): string | undefined {
  return error && fieldOf(error) === field ? error.message : error?.of(field)
}

/** The field of an error that names none. */
function fieldOf({ code, message }: ApiError): string | undefined {
  if (code === 'INVALID_STATE') return 'name'
  return code === 'PROVIDER_ERROR' ? concernOf(message) : undefined
}

const categories = [
  { value: 'UTILITY', label: 'Utility' },
  { value: 'MARKETING', label: 'Marketing' },
  { value: 'AUTHENTICATION', label: 'Authentication' },
]

const categoryHints: Readonly<Record<TemplateCategory, string>> = {
  UTILITY: 'About something the customer asked for, such as an order. Nothing that advertises.',
  MARKETING: 'Offers and news, and whatever fits no other category.',
  AUTHENTICATION: 'A one-time code and nothing beside it. The provider has rules of its own for its text.',
}

const About = ({ draft, change, errorOf }: FormPart) => (
  <>
    <Field
      label="Name"
      hint="Lower-case letters, digits and _. Your backend sends it by this name."
      placeholder="order_ready"
      maxLength={512}
      value={draft.name}
      error={errorOf('name')}
      onInput={(name) => change({ name: name.toLowerCase().replaceAll(/[\s-]/g, '_') })}
    />
    <div class="columns">
      <Select
        label="Language"
        value={draft.language}
        options={languageOptions}
        error={errorOf('language')}
        onChange={(language) => change({ language })}
      />
      <Select
        label="Category"
        hint={categoryHints[draft.category]}
        value={draft.category}
        options={categories}
        error={errorOf('category')}
        onChange={(category) => change({ category: category as TemplateCategory })}
      />
    </div>
  </>
)

const headers = [
  { value: 'NONE', label: 'None' },
  { value: 'TEXT', label: 'Text' },
  { value: 'IMAGE', label: 'Image' },
  { value: 'VIDEO', label: 'Video' },
  { value: 'DOCUMENT', label: 'Document' },
  { value: 'LOCATION', label: 'Location' },
]

const Header = ({ draft, change, errorOf }: FormPart) => (
  <div class={draft.header === 'NONE' ? undefined : 'columns'}>
    <Select
      label="Header"
      value={draft.header}
      options={headers}
      hint={draft.header === 'LOCATION' ? 'A map: each message names its place.' : undefined}
      error={draft.header === 'TEXT' || isMedia(draft.header) ? undefined : errorOf('header')}
      onChange={(header) => change({ header: header as Draft['header'], headerMedia: '' })}
    />
    {draft.header === 'TEXT' && (
      <Field
        label="Header text"
        hint="One variable at most."
        maxLength={60}
        value={draft.headerText}
        error={errorOf('header')}
        onInput={(headerText) => change({ headerText })}
      />
    )}
    {isMedia(draft.header) && (
      <SampleField
        key={draft.header}
        format={draft.header}
        value={draft.headerMedia}
        error={errorOf('header')}
        onChange={(headerMedia) => change({ headerMedia })}
      />
    )}
  </div>
)

const LONGEST_BODY = 1024

const Text = ({ draft, change, errorOf }: FormPart) => (
  <>
    <TextArea
      label="Body"
      rows={6}
      maxLength={LONGEST_BODY}
      hint={`Variables as {{first_name}}, or as {{1}}, {{2}}. *bold*, _italic_, ~struck~. ${draft.body.length} of ${LONGEST_BODY} characters.`}
      value={draft.body}
      error={errorOf('body')}
      onInput={(body) => change({ body })}
    />
    <Field
      label="Footer"
      hint="A small line below, without variables. May stay empty."
      maxLength={60}
      value={draft.footer}
      error={errorOf('footer')}
      onInput={(footer) => change({ footer })}
    />
  </>
)

const Offer = ({ draft, change, errorOf }: FormPart) => (
  <div class="columns">
    <Field
      label="Limited-time offer"
      hint="Its headline, up to 16 characters. Empty: no offer. It takes a code to copy among the buttons, and no footer."
      maxLength={16}
      value={draft.offer}
      error={errorOf('offer')}
      onInput={(offer) => change({ offer })}
    />
    {draft.offer !== '' && (
      <Select
        label="The offer ends"
        value={String(draft.offerEnds)}
        options={[
          { value: 'true', label: 'At a time that each message names' },
          { value: 'false', label: 'Never' },
        ]}
        onChange={(ends) => change({ offerEnds: ends === 'true' })}
      />
    )}
  </div>
)
