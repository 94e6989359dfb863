// Why a send failed: the provider's words, its codes, and the id that its support asks for.
import type { Failure } from '../../../contract/records/failure.ts'

export const FailureText = ({ failure }: { readonly failure: Failure }) => {
  const { title, code, subcode, details, traceId } = failure
  return (
    <span class="stack">
      <span>
        {title} <code>{subcode === undefined ? code : `${code}/${subcode}`}</code>
      </span>
      {details !== undefined && details !== title && <small>{details}</small>}
      {traceId !== undefined && (
        <small>
          Trace <code>{traceId}</code>
        </small>
      )}
    </span>
  )
}
