// Templates and numbers, as the API shows them.

export const templateStatuses = ['APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED', 'DELETED'] as const
export type TemplateStatus = (typeof templateStatuses)[number]

export const templateCategories = ['MARKETING', 'UTILITY', 'AUTHENTICATION'] as const
export type TemplateCategory = (typeof templateCategories)[number]

/** Variables by name, or by position: `{{1}}`. */
export type ParameterFormat = 'NAMED' | 'POSITIONAL'

export const variablePlaces = ['HEADER', 'BODY', 'BUTTON', 'OFFER'] as const

/** What the value of a variable is; `src/messaging/template-values.ts` says what each takes. */
export const variableKinds = [
  'TEXT',
  'MEDIA',
  'FILE_NAME',
  'LATITUDE',
  'LONGITUDE',
  'URL_SUFFIX',
  'CODE',
  'PAYLOAD',
  'MINUTES',
  'FLOW_TOKEN',
  'JSON',
  'TIMESTAMP',
  'PRODUCT_ID',
  'CATALOG_ID',
  'PRODUCT_SECTIONS',
] as const
export type VariableKind = (typeof variableKinds)[number]

export interface TemplateVariable {
  name: string
  example: string | null
  in: (typeof variablePlaces)[number]
  kind: VariableKind
}

export interface TemplateRecord {
  id: string
  name: string
  language: string
  category: TemplateCategory
  status: TemplateStatus
  components: readonly unknown[]
  /** What a send has to give. */
  variables: TemplateVariable[]
  /** What it may give besides. */
  optionalVariables: TemplateVariable[]
  /** Parts that cannot be filled here, such as `button 0 (ORDER_DETAILS)`: with one, the template cannot be sent. */
  unsupported: string[]
  createdAt: string
  updatedAt: string
}

export interface NumberRecord {
  id: string
  phoneNumberId: string
  number: string
  displayName: string
  status: string
  qualityRating: string
  messagesPerSecond: number
  isDefault: boolean
  replyRouting: { endpointId: string; endpointName: string } | null
  forwardCalls: boolean
  createdAt: string
}
