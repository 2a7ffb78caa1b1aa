import { eventually } from '@despatch/testing/eventually'
import type pg from 'pg'
import type { ProviderAnswer } from './a-provider.ts'
import type { ProviderLoop } from './start-provider-loop.ts'

/**
 * Kills every fulfilment process while a call is blocked in its transaction by a lock that `hold` took. Waits until the
 * database has rolled the transaction back, and restarts fulfilment. Throws if the call was answered.
 */
export async function killWhileBlocked(
  loop: ProviderLoop,
  {
    hold,
    call,
  }: { hold: (client: pg.PoolClient) => Promise<unknown>; call: () => Promise<ProviderAnswer> },
): Promise<void> {
  const client = await loop.database.pool.connect()
  try {
    await client.query('begin')
    await hold(client)
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const answer = call().then(
      ({ status }) => `answered ${status}`,
      () => 'no answer',
    )
    const blocked = await eventually(() => findBlocked(loop, rows[0]!.pid), {
      message: 'the call waits in its transaction',
    })
    await loop.killFulfilment()
    const outcome = await answer
    if (outcome !== 'no answer') throw new Error(`The call was ${outcome}`)
    await client.query('rollback')
    await eventually(async () => (await countSessions(loop, blocked)) === 0, {
      message: 'the database has given the transaction up',
    })
  } finally {
    client.release()
    await loop.startFulfilment()
  }
}

async function findBlocked({ database }: ProviderLoop, holder: number) {
  const { rows } = await database.pool.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where datname = current_database() and application_name = 'fulfilment' and $1 = any (pg_blocking_pids(pid))`,
    [holder],
  )
  return rows.length > 0 ? rows.map(({ pid }) => pid) : undefined
}

async function countSessions({ database }: ProviderLoop, pids: readonly number[]): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    'select count(*) from pg_stat_activity where pid = any ($1)',
    [pids],
  )
  return rows[0]!.count
}
