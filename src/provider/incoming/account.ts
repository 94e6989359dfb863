// Parses webhooks about templates and marketing preferences.
import * as v from 'valibot'
import { templateCategoryOf, templateStatusOf } from '../../contract/provider-words.ts'
import { languageOf, timeOf } from './account-values.ts'
import { type Element, type NumberContext, skipped, type WebhookContext } from './element.ts'
import { instant, list, optional, record, text } from './fields.ts'

const Template = v.object({
  message_template_name: v.pipe(text(512), v.nonEmpty()),
  message_template_language: v.pipe(text(32), v.nonEmpty()),
})

const template = (given: v.InferOutput<typeof Template>, context: WebhookContext) => ({
  wabaId: context.wabaId,
  name: given.message_template_name,
  language: languageOf(given.message_template_language),
  at: timeOf(context),
})

const TemplateStatus = v.object({ ...Template.entries, event: v.string(), reason: optional(text(512)) })

export function readTemplateStatus(value: unknown, context: WebhookContext): Element {
  const parsed = v.safeParse(TemplateStatus, value)
  if (!parsed.success) return skipped('malformed')
  const { event, reason } = parsed.output
  return {
    type: 'templateStatus',
    ...template(parsed.output, context),
    status: templateStatusOf(event),
    reason: reason === 'NONE' ? null : reason,
  }
}

export function readTemplateContent(value: unknown, context: WebhookContext): Element {
  const parsed = v.safeParse(Template, value)
  return parsed.success
    ? { type: 'templateContent', ...template(parsed.output, context) }
    : skipped('malformed')
}

const category = v.pipe(v.string(), v.transform(templateCategoryOf))

/** Two shapes: a change that is coming names the correct category and its time, one that is done the previous one. */
const TemplateCategory = v.object({
  ...Template.entries,
  new_category: category,
  previous_category: optional(category),
  correct_category: optional(category),
  category_update_timestamp: optional(instant),
})

export function readTemplateCategory(value: unknown, context: WebhookContext): Element {
  const parsed = v.safeParse(TemplateCategory, value)
  if (!parsed.success) return skipped('malformed')
  return {
    type: 'templateCategory',
    ...template(parsed.output, context),
    category: parsed.output.new_category,
    previousCategory: parsed.output.previous_category,
    nextCategory: parsed.output.correct_category,
    changesAt: parsed.output.category_update_timestamp,
  }
}

const Preference = v.object({
  wa_id: optional(v.string()),
  user_id: optional(v.string()),
  parent_user_id: optional(v.string()),
  category: text(64),
  value: v.picklist(['stop', 'resume']),
  timestamp: optional(instant),
})

export const readPreferences = (value: unknown, context: NumberContext): Element[] =>
  list(record(value)['user_preferences']).map((given) => {
    const parsed = v.safeParse(Preference, given)
    if (!parsed.success) return skipped('malformed')
    const { wa_id: phone, user_id: userId, parent_user_id: parentUserId } = parsed.output
    const { category, value: choice, timestamp } = parsed.output
    const person = context.personOf({ phone, userId, parentUserId })
    if (person === null) return skipped('noSender')
    return {
      type: 'userPreference',
      phoneNumberId: context.phoneNumberId,
      person,
      category,
      value: choice,
      at: timestamp ?? context.receivedAt,
    }
  })
