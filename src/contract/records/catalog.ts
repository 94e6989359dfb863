// Templates and numbers, as the API shows them.

export const templateStatuses = ['APPROVED', 'PENDING', 'REJECTED', 'PAUSED', 'DISABLED', 'DELETED'] as const
export type TemplateStatus = (typeof templateStatuses)[number]

export const templateCategories = ['MARKETING', 'UTILITY', 'AUTHENTICATION'] as const
export type TemplateCategory = (typeof templateCategories)[number]

/** Variables by name, or by position: `{{1}}`. */
export type ParameterFormat = 'NAMED' | 'POSITIONAL'

export interface TemplateVariable {
  name: string
  example: string | null
  in: 'HEADER' | 'BODY' | 'BUTTON'
}

export interface TemplateRecord {
  id: string
  name: string
  language: string
  category: TemplateCategory
  status: TemplateStatus
  components: readonly unknown[]
  variables: TemplateVariable[]
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
