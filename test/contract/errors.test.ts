import assert from 'node:assert/strict'
import { AppError, type ErrorCode, errorCatalog } from '../../src/contract/errors.ts'
import { errorResponse } from '../../src/platform/http/error-response.ts'
import { describe, test } from '../support/harness.ts'

// The statuses of the API contract, as literals: changing a status changes the contract.
const statuses: Record<ErrorCode, number> = {
  VALIDATION_ERROR: 400,
  MALFORMED_JSON: 400,
  UNAUTHORIZED: 401,
  INVALID_API_KEY: 401,
  IP_NOT_ALLOWED: 403,
  TENANT_SUSPENDED: 403,
  FORBIDDEN: 403,
  CONFIRMATION_REQUIRED: 403,
  SECOND_FACTOR_REQUIRED: 403,
  SESSION_EXPIRED: 401,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  BODY_TOO_SLOW: 408,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  HEADERS_TOO_LARGE: 431,
  RANGE_NOT_SATISFIABLE: 416,
  IDEMPOTENCY_KEY_REUSED: 409,
  INVALID_STATE: 409,
  ACCOUNT_RESTRICTED: 409,
  CALLING_RESTRICTED: 409,
  CALL_NOT_RINGING: 409,
  CALL_ALREADY_ANSWERED: 409,
  CALL_ENDED: 409,
  OFFER_UNAVAILABLE: 409,
  IN_USE: 409,
  TEMPLATE_NOT_FOUND: 422,
  TEMPLATE_NOT_APPROVED: 422,
  TEMPLATE_VARIABLES_MISMATCH: 422,
  RECIPIENT_OPTED_OUT: 422,
  WINDOW_CLOSED: 409,
  MEDIA_NOT_FOUND: 422,
  MEDIA_UNSUITABLE: 422,
  MESSAGE_NOT_FOUND: 422,
  MARKETING_OPTED_OUT: 422,
  RECIPIENT_NEEDS_PHONE: 422,
  CALL_PERMISSION_REQUIRED: 422,
  INVALID_SDP: 422,
  NO_SENDER_NUMBER: 422,
  ADDRESS_NOT_ALLOWED: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  PROVIDER_ERROR: 502,
  OVERLOADED: 503,
  UNAVAILABLE: 503,
}

const request = { requestId: 'r-1', publicUrl: 'http://gateway.test' }

describe('the error catalogue', () => {
  test('has exactly the codes and statuses of the contract', () => {
    const actual = Object.fromEntries(
      Object.entries(errorCatalog).map(([code, { status }]) => [code, status]),
    )
    assert.deepEqual(actual, statuses)
  })

  test('every code answers with its status in the one envelope', () => {
    for (const [code, status] of Object.entries(statuses)) {
      const response = errorResponse(new AppError(code as ErrorCode, 'do this'), request)
      assert.equal(response.status, status)
      assert.deepEqual(JSON.parse(String(response.body)), {
        error: {
          code,
          message: 'do this',
          requestId: 'r-1',
          docs: `http://gateway.test/docs/errors/${code}`,
        },
      })
    }
  })

  test('details are listed where there are some, and Retry-After is in whole seconds', () => {
    const details = [{ path: 'to', message: 'is required' }]
    const error = new AppError('RATE_LIMITED', 'wait', { details, retryAfterSeconds: 0.2 })
    const response = errorResponse(error, request)
    assert.deepEqual(JSON.parse(String(response.body)).error.details, details)
    assert.equal(response.headers?.['retry-after'], '1')
  })
})
