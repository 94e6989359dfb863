import { SecretOnce } from '../../parts/secret-once.tsx'
import { Note } from '../../parts/states.tsx'
import type { WithSecret } from './endpoint-form.tsx'

/** Shows the signing secret from the only response that contains it. */
export const NewSecret = ({ record, onClose }: { readonly record: WithSecret; onClose(): void }) => (
  <SecretOnce title="Signing secret" label={record.name} secret={record.secret} onClose={onClose}>
    {record.warning && <Note tone="warn">The address was accepted, but {record.warning}.</Note>}
    <p>Verify x-communication-signature-256 of every event with it, over the raw bytes of the body.</p>
  </SecretOnce>
)
