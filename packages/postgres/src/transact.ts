import { unavailableDependency } from '@despatch/domain/outage/unavailable-dependency'
import { CompiledQuery, type IsolationLevel, type Kysely, type Transaction } from 'kysely'
import type pg from 'pg'
import { confirmCommit, markTransaction, type TransactionMark } from './commit-outcome.ts'

type AfterCommit<Tables> = (db: Kysely<Tables>) => void

// biome-ignore lint/suspicious/noExplicitAny: transactions of all sets of tables
const afterCommits = new WeakMap<object, AfterCommit<any>[]>()

/**
 * Calls a function with the database once a transaction of `transact` is committed, or at once if `db` is no transaction.
 * It is not called if the transaction is rolled back, or if the process ends in between.
 */
export function afterCommit<Tables>(db: Kysely<Tables>, call: AfterCommit<Tables>): void {
  if (db.isTransaction) afterCommits.get(db)?.push(call)
  else call(db)
}

/**
 * Runs work in one transaction. Every transaction that writes uses this. If the reply to COMMIT is lost, looks up the
 * status of the transaction; if it is committed, returns the result as if the reply had arrived. The work runs once.
 * Given an open transaction, the work becomes part of it. Throws what the work throws; the fault of the connection if
 * nothing is committed; DependencyUnavailable if the database does not say within `lostReplyDeadlineMs`.
 */
export async function transact<Tables, Result>(
  db: Kysely<Tables>,
  work: (tx: Transaction<Tables>) => Promise<Result>,
  { isolationLevel }: { isolationLevel?: IsolationLevel } = {},
): Promise<Result> {
  if (db.isTransaction) return work(db as Transaction<Tables>)
  const begin = db.startTransaction()
  const tx = await (isolationLevel ? begin.setIsolationLevel(isolationLevel) : begin).execute()
  const calls: AfterCommit<Tables>[] = []
  afterCommits.set(tx, calls)
  const query = async (on: Kysely<Tables>, text: string, values: readonly unknown[] = []) =>
    (await on.executeQuery(CompiledQuery.raw(text, [...values]))).rows[0]
  const result = await finish({
    work: () => work(tx),
    mark: async () => (await query(tx, markTransaction)) as TransactionMark,
    commit: () => tx.commit().execute(),
    rollback: () => tx.rollback().execute(),
    confirm: (mark, fault) => confirmCommit(mark, fault, (text, values) => query(db, text, values)),
  })
  for (const call of calls) call(db)
  return result
}

/** As `transact`, for hand-written statements on a connection of the pool. */
export async function transactOn<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  return finish({
    work: async () => {
      await client.query('begin')
      return work(client)
    },
    mark: async () => (await client.query<TransactionMark>(markTransaction)).rows[0]!,
    commit: async () => {
      await client.query('commit')
      client.release()
    },
    // Closes the connection with its transaction: it may be broken, or in the middle of a COPY.
    rollback: async () => client.release(true),
    confirm: (mark, fault) =>
      confirmCommit(mark, fault, async (text, values) => {
        const { rows } = await pool.query(text, [...values])
        return rows[0]
      }),
  })
}

type Steps<Result> = {
  work: () => Promise<Result>
  mark: () => Promise<TransactionMark>
  commit: () => Promise<unknown>
  /** Ends the transaction and returns its connection to the pool, whatever its state. */
  rollback: () => Promise<unknown>
  confirm: (mark: TransactionMark, fault: unknown) => Promise<void>
}

async function finish<Result>(steps: Steps<Result>): Promise<Result> {
  const { work, mark, commit, rollback, confirm } = steps
  let done: { result: Result; mark: TransactionMark } | undefined
  try {
    done = { result: await work(), mark: await mark() }
    await commit()
    return done.result
  } catch (error) {
    const rolledBack = rollback().catch(() => {})
    // A lost connection rolls back automatically, so there is nothing to wait for.
    if (unavailableDependency(error) === undefined) await rolledBack
    if (!done) throw error
    await confirm(done.mark, error)
    return done.result
  }
}
