import type { EndpointTitle } from '../core/endpoint-names.ts'

/** Name and host, so that two endpoints of one name are told apart. The titles are from `endpointTitles()`. */
export const EndpointName = ({ title }: { readonly title: EndpointTitle | undefined }) =>
  title ? (
    <span class="endpoint-name">
      <span>{title.name}</span> <small title={title.where}>{title.where}</small>
    </span>
  ) : (
    <span class="dim">Deleted</span>
  )
