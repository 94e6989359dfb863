// Contacts with conversations, messages and calls, for tests that look for them.
import { newId, type Uuid, type WorkspaceId } from '../../../src/shared/ids.ts'
import type { World } from './console-world.ts'

interface Person {
  readonly address: string
  readonly name?: string
  readonly username?: string
  readonly userId?: string
  readonly aliases?: readonly string[]
}

export function searchRows({ sql }: Pick<World, 'sql'>) {
  let made = 0

  /** A contact with a conversation, on a number of the workspace. The later ones were active later. */
  async function addPerson(workspace: WorkspaceId, person: Person) {
    made += 1
    const [id, conversationId, numberId] = [newId('recipient'), newId('conversation'), newId('number')]
    await sql`
    insert into numbers (id, workspace_id, phone_number_id, number, display_name)
    values (${numberId}, ${workspace}, ${`pn-${made}`}, ${`+1555800${1000 + made}`}, ${`Line ${made}`})`
    await sql`
    insert into contacts (id, workspace_id, wa_id, name, username, user_id)
    values (${id}, ${workspace}, ${person.address}, ${person.name ?? null}, ${person.username ?? null}, ${person.userId ?? null})`
    await sql`
    insert into conversations (id, workspace_id, number_id, contact_id, updated_at)
    values (${conversationId}, ${workspace}, ${numberId}, ${id}, now() + ${made} * interval '1 second')`
    for (const alias of person.aliases ?? [])
      await sql`insert into contact_aliases (workspace_id, address, contact_id) values (${workspace}, ${alias}, ${id})`
    return { id, conversationId, numberId }
  }

  async function addMessage(conversationId: Uuid, given: { key?: string; providerId?: string } = {}) {
    const id = newId('message')
    await sql`
    insert into messages (id, workspace_id, conversation_id, number_id, contact_id, direction, type, status, text,
      idempotency_key, provider_message_id)
    select ${id}, workspace_id, id, number_id, contact_id, 'OUTBOUND', 'TEMPLATE', 'SENT', 'secret text',
      ${given.key ?? null}, ${given.providerId ?? null}
    from conversations where id = ${conversationId}`
    return id
  }

  async function addCall(conversationId: Uuid, wacid: string) {
    const id = newId('call')
    await sql`
    insert into calls (id, workspace_id, conversation_id, number_id, contact_id, direction, status, wacid)
    select ${id}, workspace_id, id, number_id, contact_id, 'INBOUND', 'MISSED', ${wacid}
    from conversations where id = ${conversationId}`
    return id
  }

  return { addPerson, addMessage, addCall }
}
