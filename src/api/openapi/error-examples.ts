// An example of each error.
import { type ErrorCode, errorCatalog } from '../../contract/errors.ts'

const details: Partial<Record<ErrorCode, readonly { path?: string; message: string }[]>> = {
  VALIDATION_ERROR: [{ path: 'to', message: 'must be a phone number in international format' }],
  TEMPLATE_VARIABLES_MISMATCH: [{ path: 'template.variables.first_name', message: 'missing' }],
  PROVIDER_ERROR: [
    { path: 'provider.code', message: '131009' },
    { path: 'provider.title', message: 'Parameter value is not valid' },
    { path: 'provider.traceId', message: 'AbCdEfGhIjKlMnOpQrStUvW' },
  ],
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
