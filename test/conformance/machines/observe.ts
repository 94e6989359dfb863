// Records every transition that SQL makes. Triggers on the tables with states see each change of a row,
// whichever statement makes it and however often.
import { callMachines } from '../../../src/calls/call.machine.ts'
import { campaignMachine } from '../../../src/campaigns/campaign.machine.ts'
import { recipientMachine } from '../../../src/campaigns/recipient.machine.ts'
import { deliveryMachine } from '../../../src/delivery/delivery.machine.ts'
import { endpointMachine } from '../../../src/delivery/endpoint.machine.ts'
import { inboundMachine, outboundMachine, sendMachine } from '../../../src/messaging/message.machine.ts'
import { templateMachine } from '../../../src/messaging/template.machine.ts'
import type { Pool } from '../../../src/platform/postgres/sql.ts'
import type { Machine } from '../../../src/shared/machine.ts'

interface Observed {
  readonly machine: Machine<string>
  readonly table: string
  /** The state of a row `r`, in SQL. */
  readonly state: string
  /** The condition for the rows of the table that have this machine. */
  readonly rows?: string
}

const standing = `case when r.deleted_at is not null then 'DELETED' when r.enabled then 'ON' else 'OFF' end`

export const machines = {
  outbound: {
    machine: outboundMachine,
    table: 'messages',
    state: 'r.status',
    rows: `r.direction = 'OUTBOUND'`,
  },
  inbound: { machine: inboundMachine, table: 'messages', state: 'r.status', rows: `r.direction = 'INBOUND'` },
  send: {
    machine: sendMachine,
    table: 'messages',
    state: 'r.send_state',
    rows: `r.direction = 'OUTBOUND'`,
  },
  recipient: { machine: recipientMachine, table: 'recipients', state: 'r.status' },
  campaign: { machine: campaignMachine, table: 'campaigns', state: 'r.status' },
  delivery: { machine: deliveryMachine, table: 'deliveries', state: 'r.state' },
  endpoint: { machine: endpointMachine, table: 'endpoints', state: standing },
  template: { machine: templateMachine, table: 'templates', state: 'r.status' },
  inboundCall: {
    machine: callMachines.INBOUND,
    table: 'calls',
    state: 'r.status',
    rows: `r.direction = 'INBOUND'`,
  },
  outboundCall: {
    machine: callMachines.OUTBOUND,
    table: 'calls',
    state: 'r.status',
    rows: `r.direction = 'OUTBOUND'`,
  },
} satisfies Record<string, Observed>

export type MachineName = keyof typeof machines

export interface Transition {
  readonly machine: MachineName
  readonly old: string
  readonly new: string
}

export interface Observer {
  /** The transitions during `work`, also if it throws. */
  during(work: () => Promise<unknown>): Promise<readonly Transition[]>
}

export async function observe(sql: Pool): Promise<Observer> {
  await sql`create table observed (machine text, old text, new text)`
  for (const [name, observed] of Object.entries<Observed>(machines)) {
    const { table, state, rows = 'true' } = observed
    await sql.unsafe(`
      create function observe_${name.toLowerCase()}() returns trigger language plpgsql as $$
      begin
        insert into observed
        select '${name}', before.state, after.state
        from (select ${state} as state, ${rows} as mine from (select old.*) r) before,
          (select ${state} as state from (select new.*) r) after
        where before.mine and before.state is distinct from after.state;
        return null;
      end $$;
      create trigger observe_${name.toLowerCase()} after update on ${table}
        for each row execute function observe_${name.toLowerCase()}();`)
  }
  return {
    async during(work) {
      await sql`delete from observed`
      await work().catch(() => undefined)
      return sql<Transition[]>`select machine, old, new from observed`
    },
  }
}
