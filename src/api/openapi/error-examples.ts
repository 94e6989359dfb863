// An example of each error.
import { type ErrorCode, errorCatalog } from '../../contract/errors.ts'

const details: Partial<Record<ErrorCode, readonly { path?: string; message: string }[]>> = {
  VALIDATION_ERROR: [{ path: 'to', message: 'must be a phone number in international format' }],
  TEMPLATE_VARIABLES_MISMATCH: [{ path: 'template.variables.first_name', message: 'is missing' }],
  PROVIDER_ERROR: [{ message: '138006: Recipient cannot be called' }],
}

export const errorExamples = (code: ErrorCode) => ({
  error: {
    code,
    message: errorCatalog[code].meaning,
    ...(details[code] ? { details: details[code] } : {}),
    requestId: 'b1f6c0de-7a51-4a0e-9d0f-4f1d3c5e7a90',
    docs: `https://switchboard.example/docs/errors/${code}`,
  },
})
