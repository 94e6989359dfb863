// How endpoints are told apart when two have one name.
import type { EndpointRecord } from '../../../contract/records/console.ts'

type Named = Pick<EndpointRecord, 'id' | 'name' | 'url'>

export interface EndpointTitle {
  readonly name: string
  /** Where it is: the host, and as much more as its namesakes make necessary. */
  readonly where: string
}

export function endpointTitles(endpoints: readonly Named[]): ReadonlyMap<string, EndpointTitle> {
  return new Map(
    endpoints.map((one) => {
      const namesakes = endpoints.filter(({ id, name }) => id !== one.id && name === one.name)
      const isTaken = (of: (endpoint: Named) => string) => namesakes.some((other) => of(other) === of(one))
      const isUnique = [hostOf, pathOf].find((of) => !isTaken(of))
      return [one.id, { name: one.name, where: isUnique?.(one) ?? `${hostOf(one)} …${one.id.slice(-4)}` }]
    }),
  )
}

/** For a choice: the name, and where it is if another has the name. */
export function endpointOptions(endpoints: readonly Named[]): { value: string; label: string }[] {
  const titles = endpointTitles(endpoints)
  const names = endpoints.map(({ name }) => name)
  return endpoints.map(({ id, name }) => ({
    value: id,
    label: names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} (${titles.get(id)?.where})`,
  }))
}

function hostOf({ url }: Named): string {
  return parsed(url)?.host ?? url
}

function pathOf({ url }: Named): string {
  const at = parsed(url)
  return at ? `${at.host}${at.pathname}${at.search}` : url
}

const parsed = (url: string): URL | undefined => (URL.canParse(url) ? new URL(url) : undefined)
