import { encodeId, newId } from '../../../src/shared/ids.ts'
import { watchLive } from '../../support/live-client.ts'
import { addTenant } from '../../support/rows.ts'
import type { World } from './console-world.ts'

/** A new workspace with an owner who can watch it. */
export async function watchedTenant(world: World) {
  const { sql } = world
  const rows = await addTenant(sql)
  const owner = await world.as('OWNER', { workspaceId: rows.workspaceId })
  const ws = encodeId('workspace', rows.workspaceId)
  const [contactId, conversationId] = [newId('conversation'), newId('conversation')]
  await sql`
    insert into contacts (id, workspace_id, wa_id) values (${contactId}, ${rows.workspaceId}, '15550000001')`
  await sql`
    insert into conversations (id, workspace_id, number_id, contact_id)
    values (${conversationId}, ${rows.workspaceId}, ${rows.numberId}, ${contactId})`
  return {
    ...{ ...rows, owner, ws },
    watch: () => watchLive(world.origin, ws, { cookie: owner.cookie }),
    async addCall(status = 'RINGING') {
      const id = newId('call')
      await sql`
        insert into calls (id, workspace_id, conversation_id, number_id, contact_id, direction, status)
        values (${id}, ${rows.workspaceId}, ${conversationId}, ${rows.numberId}, ${contactId}, 'INBOUND', ${status})`
      return id
    },
  }
}
