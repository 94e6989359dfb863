// The choice of a template, by what the customer will see of it.
import { useState } from 'preact/hooks'
import type { TemplateRecord } from '../../../../contract/records/catalog.ts'
import { sentence } from '../../core/format.ts'
import type { List } from '../../core/load.ts'
import { hrefOf } from '../../core/router.ts'
import { Tag } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { DialogActions, DialogBody } from '../../parts/dialog.tsx'
import { headerIcons, Icon } from '../../parts/icon.tsx'
import { ErrorState, Skeleton } from '../../parts/states.tsx'
import { fittingTemplates, shownParts } from './template-parts.ts'

interface Props {
  readonly templates: List<TemplateRecord>
  readonly isMarketingRefused: boolean
  onChoose(template: TemplateRecord): void
  onClose(): void
}

export function TemplateList({ templates, isMarketingRefused, onChoose, onClose }: Props) {
  const [text, setText] = useState('')
  const { rows, error, reload } = templates
  const found = fittingTemplates(rows ?? [], text)
  const isRefused = ({ category }: TemplateRecord) => isMarketingRefused && category === 'MARKETING'
  const [first] = found
  return (
    <form
      class="dialog-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (first && !isRefused(first)) onChoose(first)
      }}
      onKeyDown={moveFocus}
    >
      <DialogBody>
        <input
          type="search"
          aria-label="Search templates"
          placeholder="Search by name, language or words"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        {error && <ErrorState error={error} onRetry={reload} />}
        {!rows && !error && <Skeleton rows={4} />}
        {rows?.length === 0 && (
          <p>
            No template is approved yet. <a href={hrefOf('templates')}>Submit one</a>; it can be sent when the
            provider has approved it.
          </p>
        )}
        {rows && rows.length > 0 && found.length === 0 && <p class="dim">No template has these words.</p>}
        <ul class="template-list">
          {found.map((template) => (
            <li key={template.id}>
              <button
                type="button"
                disabled={isRefused(template)}
                title={isRefused(template) ? 'The customer has stopped marketing messages' : undefined}
                onClick={() => onChoose(template)}
              >
                <TemplateText template={template} />
              </button>
            </li>
          ))}
        </ul>
      </DialogBody>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
      </DialogActions>
    </form>
  )
}

function TemplateText({ template }: { readonly template: TemplateRecord }) {
  const { headerFormat, header, body, buttons } = shownParts(template)
  const icon = headerIcons[headerFormat ?? '']
  return (
    <>
      <span class="template-name">
        <strong>{template.name}</strong>
        <small>
          {template.language} · {sentence(template.category)}
        </small>
      </span>
      <span class="template-text">
        {icon && <Icon name={icon} />}
        {!icon && header && <strong>{header}</strong>}
        <span>{body}</span>
      </span>
      {buttons.length > 0 && (
        <span class="tags">
          {buttons.map((button) => (
            <Tag key={button}>{button}</Tag>
          ))}
        </span>
      )}
    </>
  )
}

/** From the search to the list by the arrow keys, and within it. */
function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLFormElement }): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined) return
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('input, li button:not(:disabled)')]
  const next = stops[stops.indexOf(document.activeElement as HTMLElement) + step]
  if (!next) return
  event.preventDefault()
  next.focus()
}
