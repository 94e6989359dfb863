import type { List } from '../../../src/console/web/core/load.ts'

export const Things = ({ list }: { readonly list: List<{ readonly id: string }> }) => (
  <ul aria-label="Things">
    {list.rows?.map(({ id }) => (
      <li key={id}>{id}</li>
    ))}
  </ul>
)
