// Templates and numbers of the business account at the provider.
import * as v from 'valibot'
import type {
  Provider,
  ProviderAccount,
  ProviderError,
  ProviderNumber,
  ProviderResult,
  ProviderTemplate,
  TemplateList,
} from '../../contract/provider.ts'
import { templateCategoryOf, templateStatusOf } from '../../contract/provider-words.ts'
import { isE164, toE164 } from '../../shared/phone.ts'
import type { Ask } from './ask.ts'
import { type Listed, listAll } from './list-all.ts'

type CatalogOperations = Pick<Provider, 'listTemplates' | 'createTemplate' | 'listNumbers'>

const nonEmpty = v.pipe(v.string(), v.nonEmpty())
const id = v.pipe(v.union([v.string(), v.number()]), v.transform(String), v.nonEmpty())

const Template = v.pipe(
  v.object({
    id,
    name: nonEmpty,
    language: nonEmpty,
    status: v.string(),
    category: v.fallback(v.string(), ''),
    parameter_format: v.fallback(v.string(), ''),
    components: v.fallback(v.array(v.unknown()), []),
    rejected_reason: v.fallback(v.string(), 'NONE'),
  }),
  v.transform(
    (given): ProviderTemplate => ({
      providerTemplateId: given.id,
      name: given.name,
      language: given.language,
      status: templateStatusOf(given.status),
      category: templateCategoryOf(given.category),
      parameterFormat: given.parameter_format.toUpperCase() === 'NAMED' ? 'NAMED' : 'POSITIONAL',
      components: given.components,
      rejectedReason: given.rejected_reason === 'NONE' ? null : given.rejected_reason,
    }),
  ),
)

const Named = v.object({ name: nonEmpty, language: nonEmpty })

const ListedTemplate = v.union([
  v.pipe(
    Template,
    v.transform((template) => ({ template, name: template.name, language: template.language })),
  ),
  v.pipe(
    Named,
    v.transform((named) => ({ template: null, ...named })),
  ),
])

const Created = v.pipe(
  v.object({ id, status: v.fallback(v.string(), 'PENDING'), category: v.fallback(v.string(), '') }),
  v.transform((given) => ({
    providerTemplateId: given.id,
    status: templateStatusOf(given.status),
    category: templateCategoryOf(given.category),
  })),
)

const STANDARD_PER_SECOND = 80
const HIGH_PER_SECOND = 1000

const PhoneNumber = v.pipe(
  v.object({
    id,
    display_phone_number: v.pipe(v.string(), v.transform(toE164), v.check(isE164)),
    verified_name: v.fallback(v.string(), ''),
    status: v.fallback(v.string(), 'CONNECTED'),
    quality_rating: v.fallback(v.string(), 'UNKNOWN'),
    throughput: v.fallback(v.object({ level: v.string() }), { level: 'STANDARD' }),
    whatsapp_business_manager_messaging_limit: v.fallback(
      v.nullish(v.pipe(v.string(), v.regex(/^\w{1,64}$/)), null),
      null,
    ),
  }),
  v.transform(
    (given): ProviderNumber => ({
      phoneNumberId: given.id,
      number: given.display_phone_number,
      displayName: given.verified_name,
      status: given.status,
      qualityRating: given.quality_rating,
      messagingLimit: given.whatsapp_business_manager_messaging_limit,
      messagesPerSecond: given.throughput.level === 'HIGH' ? HIGH_PER_SECOND : STANDARD_PER_SECOND,
    }),
  ),
)

const TEMPLATE_FIELDS = 'id,name,language,status,category,components,parameter_format,rejected_reason'
const NUMBER_FIELDS =
  'id,display_phone_number,verified_name,quality_rating,status,throughput,whatsapp_business_manager_messaging_limit'

const noBusinessAccount: ProviderError = {
  code: 'NO_BUSINESS_ACCOUNT',
  title: 'The workspace has no business account at the provider',
  details: null,
  httpStatus: null,
  class: 'account',
  retryAfterMs: null,
}

const withWaba = async <T>(
  { wabaId }: ProviderAccount,
  run: (wabaId: string) => Promise<ProviderResult<T>>,
): Promise<ProviderResult<T>> =>
  wabaId === null ? { type: 'refused', error: noBusinessAccount } : run(wabaId)

const listOf = ({ elements, isWhole }: Listed<v.InferOutput<typeof ListedTemplate>>): TemplateList => ({
  templates: elements.flatMap(({ template }) => template ?? []),
  named: isWhole ? elements.map(({ name, language }) => ({ name, language })) : null,
})

export const catalogOperations = (ask: Ask): CatalogOperations => ({
  listTemplates: (account) =>
    withWaba(account, async (wabaId) => {
      const listed = await listAll(ask, account, {
        operation: 'template.list',
        path: [wabaId, 'message_templates'],
        fields: TEMPLATE_FIELDS,
        element: ListedTemplate,
      })
      return listed.type === 'ok' ? { type: 'ok', value: listOf(listed.value) } : listed
    }),

  createTemplate: (account, definition) =>
    withWaba(account, (wabaId) =>
      ask(account, {
        operation: 'template.create',
        pool: 'messages',
        method: 'POST',
        path: [wabaId, 'message_templates'],
        body: {
          name: definition.name,
          language: definition.language,
          category: definition.category,
          parameter_format: definition.parameterFormat,
          components: definition.components,
        },
        schema: Created,
      }),
    ),

  listNumbers: (account) =>
    withWaba(account, async (wabaId) => {
      const listed = await listAll(ask, account, {
        operation: 'number.list',
        path: [wabaId, 'phone_numbers'],
        fields: NUMBER_FIELDS,
        element: PhoneNumber,
      })
      return listed.type === 'ok' ? { type: 'ok', value: [...listed.value.elements] } : listed
    }),
})
