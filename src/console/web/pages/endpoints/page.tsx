import type { PageProps } from '../../core/page-props.ts'
import { EndpointPage } from './endpoint.tsx'
import { EndpointList } from './list.tsx'

export const Page = ({ id }: PageProps) =>
  id === undefined ? <EndpointList /> : <EndpointPage key={id} id={id} />
