// A filter that names a contact in any way: by name, number, username, user id, or the id of something of theirs.
import * as v from 'valibot'
import type { OneOf } from '../../contract/filters.ts'
import type { WorkspaceId } from '../../shared/ids.ts'
import { searchLimits } from '../search-query.ts'
import type { ConsoleServices } from '../services.ts'

export const spelling = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1, 'must not be empty'),
  v.maxLength(searchLimits.length, `must be at most ${searchLimits.length} characters`),
)

/** The filter with the addresses of the contacts who are meant. */
export const meant = async <Filter extends { readonly contact?: string | undefined }>(
  { search }: Pick<ConsoleServices, 'search'>,
  workspaceId: WorkspaceId,
  { contact, ...filter }: Filter,
): Promise<Omit<Filter, 'contact'> & { readonly contact?: OneOf<string> }> =>
  contact === undefined
    ? filter
    : { ...filter, contact: await search.contacts(workspaceId, contact, 'contact') }

/** The same for deliveries, which are about conversations and calls. */
export const meantBy = async <Filter extends { readonly key?: string | undefined }>(
  { search }: Pick<ConsoleServices, 'search'>,
  workspaceId: WorkspaceId,
  { key, ...filter }: Filter,
): Promise<Omit<Filter, 'key'> & { readonly key?: OneOf<string> }> =>
  key === undefined ? filter : { ...filter, key: await search.keys(workspaceId, key, 'key') }
