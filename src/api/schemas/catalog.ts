// Schemas of templates and numbers: filters and records.
import * as v from 'valibot'
import {
  type NumberRecord,
  type TemplateRecord,
  templateCategories,
  templateStatuses,
  variableKinds,
  variablePlaces,
} from '../../contract/records/catalog.ts'
import { maxCharacters } from '../../platform/http/fields.ts'
import { pageQuery } from '../../platform/http/paging.ts'
import { about, shownAs } from '../../platform/http/shown.ts'
import { choiceOf, idView, textsOf, timestamp } from './fields.ts'

const exact = v.pipe(
  v.string(),
  v.minLength(1, 'must not be empty'),
  maxCharacters(512, 'must be at most 512 characters long'),
)

export const templateQuery = v.strictObject({
  name: v.optional(textsOf(exact, 'order_ready')),
  language: v.optional(textsOf(exact, 'en_US')),
  status: v.optional(choiceOf(templateStatuses)),
  category: v.optional(choiceOf(templateCategories)),
  ...pageQuery,
})

export const numberQuery = v.strictObject(pageQuery)

const variable = v.object({
  name: v.string(),
  example: v.nullable(v.string()),
  in: v.picklist(variablePlaces),
  kind: about(v.picklist(variableKinds), 'What the value is; the guide of sending says what each takes.'),
})

export const templateView = v.pipe(
  v.object({
    id: idView('template'),
    name: v.string(),
    language: v.string(),
    category: v.picklist(templateCategories),
    status: about(v.picklist(templateStatuses), 'Only an APPROVED one can be sent.'),
    components: v.pipe(
      v.array(v.unknown()),
      v.readonly(),
      shownAs({ type: 'array', items: { type: 'object', additionalProperties: true } }),
      v.description("Header, body, footer and buttons in the provider's form."),
    ),
    variables: about(v.array(variable), 'What a send has to give, by name.'),
    optionalVariables: about(v.array(variable), 'What a send may give besides, such as payloads of buttons.'),
    unsupported: about(
      v.array(v.string()),
      'Parts that cannot be filled here, such as `button 0 (ORDER_DETAILS)`: with one, the template cannot be sent.',
    ),
    createdAt: timestamp,
    updatedAt: timestamp,
  }),
  v.title('Template'),
  v.description('A message template of the workspace, as the provider knows it.'),
) satisfies v.GenericSchema<unknown, TemplateRecord>

export const numberView = v.pipe(
  v.object({
    id: idView('number'),
    phoneNumberId: about(v.string(), "The provider's id."),
    number: about(v.string(), 'International format, with its plus.'),
    displayName: about(v.string(), 'What customers see.'),
    status: about(v.string(), "The provider's word, such as CONNECTED."),
    qualityRating: about(v.string(), "The provider's word, such as GREEN."),
    messagesPerSecond: about(v.number(), 'What the provider lets this number send.'),
    isDefault: about(v.boolean(), 'Whether a send without `from` leaves from here.'),
    replyRouting: about(
      v.nullable(v.object({ endpointId: idView('endpoint'), endpointName: v.string() })),
      'The one endpoint that gets its inbound messages; null: every subscriber.',
    ),
    forwardCalls: about(v.boolean(), 'Whether its calls go to that endpoint as `call.ringing`.'),
    createdAt: timestamp,
  }),
  v.title('Number'),
  v.description('A phone number of the workspace.'),
) satisfies v.GenericSchema<unknown, NumberRecord>
