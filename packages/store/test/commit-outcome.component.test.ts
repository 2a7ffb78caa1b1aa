import { DependencyUnavailable } from '@despatch/domain/outage/unavailable-dependency'
import {
  confirmCommit,
  markTransaction,
  type TransactionMark,
} from '@despatch/postgres/commit-outcome'
import { aDatabase } from '@despatch/testing/a-database'
import { shared } from '@despatch/testing/shared'
import { expect, test } from 'vitest'

const { pool } = await shared(aDatabase())
await pool.query('create table kept (value integer)')
const lost = new Error('Connection terminated unexpectedly')
const ask = async (text: string, values: readonly unknown[]) =>
  (await pool.query(text, [...values])).rows[0]

test('a checkpoint during the end of the transaction does not hide its commit', async () => {
  const mark = await commit()

  await expect(confirmCommit(afterCheckpoint(mark), lost, ask)).resolves.toBeUndefined()
})

test('the outcome is unknown if the server has crashed and lost its log', async () => {
  const mark = await commit()
  // as recovery after a crash does
  await pool.query(`select pg_stat_reset_shared('wal')`)

  await expect(confirmCommit(afterCheckpoint(mark), lost, ask)).rejects.toThrow(
    DependencyUnavailable,
  )
})

test('the outcome is unknown if another server answers whose log ends earlier', async () => {
  const mark = { ...afterCheckpoint(await commit()), serverBegan: '2026-11-25 10:00:00+00' }

  await expect(confirmCommit(mark, lost, ask)).rejects.toThrow(DependencyUnavailable)
})

async function commit(): Promise<TransactionMark> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('insert into kept values (1)')
    const { rows } = await client.query<TransactionMark>(markTransaction)
    await client.query('commit')
    return rows[0]!
  } finally {
    client.release()
  }
}

/** Returns the mark as if the newest checkpoint were in the log before it, and in the control file after it. */
function afterCheckpoint(mark: TransactionMark): TransactionMark {
  return { ...mark, lsn: 'FFFFFFFF/0', checkpoint: '0/1' }
}
