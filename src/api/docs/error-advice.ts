// What to do about each error code, for its page.
import type { ErrorCode } from '../../contract/errors.ts'

const waiting = 'Send the same request again after the seconds of `Retry-After`, then with growing pauses.'

export const errorAdvice: Readonly<Record<ErrorCode, string>> = {
  VALIDATION_ERROR: 'Correct what `details` name, then send the request again.',
  MALFORMED_JSON: 'Send a JSON object in UTF-8.',
  UNAUTHORIZED: 'Send your key with the request. The console asks you to sign in instead.',
  INVALID_API_KEY:
    'Check that the whole key is sent, and that it is one of this environment: a `ck_test_` key does not work on production. If it is revoked, expired or lost, make another one in the console.',
  IP_NOT_ALLOWED: 'Send from an address of the list of the key, or add your address to it in the console.',
  TENANT_SUSPENDED: 'Ask whoever runs the gateway to lift the suspension.',
  FORBIDDEN:
    'Give the key the scope that the message names, or use another key. In the console, ask an owner for a higher role.',
  CONFIRMATION_REQUIRED: 'Confirm your password, then send the same request again.',
  SECOND_FACTOR_REQUIRED: 'Turn on a second factor for your account, then send the same request again.',
  SESSION_EXPIRED: 'Sign in again, then send the same request again.',
  NOT_FOUND: 'Check the id and the path. A key finds only what belongs to its workspace.',
  METHOD_NOT_ALLOWED: 'Take one of the methods that `Allow` lists.',
  BODY_TOO_SLOW: 'Send the same request again, and the body faster: at least 4 KiB a second.',
  PAYLOAD_TOO_LARGE: 'Send a smaller file, or split the body over several requests.',
  UNSUPPORTED_MEDIA_TYPE: 'Send the body uncompressed, in a media type that the message names.',
  HEADERS_TOO_LARGE: 'Shorten the path, the query or the headers.',
  RANGE_NOT_SATISFIABLE: 'Ask for bytes within the length that `Content-Range` gives, or for the whole file.',
  IDEMPOTENCY_KEY_REUSED:
    'Take a new key for a new request. To learn what became of the first one, send its body again with its key.',
  INVALID_STATE: 'Read the record again: the message names its state. Ask for what that state allows.',
  ACCOUNT_RESTRICTED:
    'Wait until the end that the message names, or have the restriction lifted at the provider. Then send the same request again.',
  CALLING_RESTRICTED:
    'Wait until the end, if the message names one, or have the restriction lifted at the provider. Then place the call again.',
  CALL_NOT_RINGING: 'Read the call. Only an inbound call that rings can be answered or declined.',
  CALL_ALREADY_ANSWERED: 'Do not answer this call any more: another answer has it.',
  CALL_ENDED: 'Let this call be: nothing can be done with it any more. To talk, place another one.',
  OFFER_UNAVAILABLE: 'Read the call. Only an inbound call that rings has an offer to give.',
  WINDOW_CLOSED: 'Send a template, or wait until the customer writes.',
  IN_USE: 'Take away first what the message names, then send the same request again.',
  TEMPLATE_NOT_FOUND: 'Take a name and a language that `GET /templates` lists.',
  TEMPLATE_NOT_APPROVED: 'Use an `APPROVED` template, or wait until the provider has approved this one.',
  TEMPLATE_VARIABLES_MISMATCH: 'Correct the variables that `details` name, then send the request again.',
  RECIPIENT_OPTED_OUT: 'Send nothing more to this contact, unless they write START.',
  MEDIA_NOT_FOUND: 'Upload the file again with `POST /media`, and send its new id.',
  MEDIA_UNSUITABLE:
    'Upload a file of a type that the message names, for the number that sends, and send its id.',
  MESSAGE_NOT_FOUND:
    'Correct the id that `details` name: it must be one of a message of this conversation, for a reaction of the last 30 days.',
  MARKETING_OPTED_OUT: 'Send a template of another category, or leave this contact out.',
  RECIPIENT_NEEDS_PHONE: 'Ask the person for a phone number, and send to that.',
  CALL_PERMISSION_REQUIRED: 'Ask the contact for the permission, and place the call once it is granted.',
  INVALID_SDP: 'Make a new SDP without the faults that `details` name, and send that.',
  NO_SENDER_NUMBER:
    'Name a number that `GET /numbers` lists, or set a default number in the console. If the message names an access token, ask whoever runs the gateway to set it.',
  ADDRESS_NOT_ALLOWED: 'Give a URL with `https` or `wss` whose host has public addresses only.',
  RATE_LIMITED: waiting,
  INTERNAL:
    'Send a request again that is safe to repeat, a few times with growing pauses. If the error stays, report the `requestId`.',
  PROVIDER_ERROR:
    'Look at `provider.code` and `provider.title` in `details`. Read marks, typing and uploads are safe to send again, with growing pauses. For a call, read the call first; a new one needs a new `Idempotency-Key`.',
  OVERLOADED: waiting,
  UNAVAILABLE: `${waiting} If \`details\` name a \`callId\`, read that call first: it may have been placed.`,
}
