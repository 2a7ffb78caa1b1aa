import { applyGrants, type Grants } from '@despatch/postgres/apply-grants'
import type pg from 'pg'
import { schema } from './backend.ts'

/** The services that add, take, watch or manage tasks. */
const users = ['administration', 'ops-console', 'pipeline'] as const
const all = 'select, insert, update, delete'

/** Lets the services use the queues: every table and sequence of the schema, which belongs to BullMQ. */
export async function grantQueues(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string; isSequence: boolean }>(
    `select relname as name, relkind = 'S' as "isSequence" from pg_class
     where relnamespace = $1::regnamespace and relkind in ('r', 'p', 'v', 'S')`,
    [schema],
  )
  const relations: Grants = Object.fromEntries(
    rows.map(({ name, isSequence }) => [
      name,
      Object.fromEntries(users.map((service) => [service, isSequence ? 'usage' : all])),
    ]),
  )
  await applyGrants(client, { schema, relations })
}
