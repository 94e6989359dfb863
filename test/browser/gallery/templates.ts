import type { TemplateRecord } from '../../../src/contract/records/catalog.ts'

const template = (name: string, format: 'IMAGE' | 'VIDEO') =>
  ({
    ...{ id: `tpl_${name}`, name, language: 'en_US', category: 'UTILITY', status: 'APPROVED' },
    components: [
      { type: 'HEADER', format },
      { type: 'BODY', text: 'Hello {{customer}}' },
    ],
    variables: [
      { name: 'header.1', example: null, kind: 'MEDIA' },
      { name: 'customer', example: 'Ana', kind: 'TEXT' },
    ],
    optionalVariables: [],
    unsupported: [],
  }) as unknown as TemplateRecord

export const templates: readonly TemplateRecord[] = [template('photo', 'IMAGE'), template('film', 'VIDEO')]
