import type { Role } from '../../core/session.ts'
import { Facts, Section } from '../../parts/facts.tsx'
import { Select } from '../../parts/field.tsx'
import { mayOf, roles, titleOf } from './words.ts'

export const RolesExplained = () => (
  <Section title="Roles">
    <Facts facts={roles.map((role) => [titleOf(role), mayOf(role)])} />
  </Section>
)

export const RoleChoice = ({
  role,
  error,
  onChange,
}: {
  readonly role: Role
  readonly error: string | undefined
  onChange(role: Role): void
}) => (
  <Select
    label="Role"
    hint={mayOf(role)}
    value={role}
    options={roles.map((one) => ({ value: one, label: titleOf(one) }))}
    error={error}
    onChange={(value) => onChange(value as Role)}
  />
)
