import type { SignInHistory, SignInSubjectKind } from '@despatch/domain/access/lockout'
import { repeatLost } from '@despatch/postgres/lost-reply'
import { transact } from '@despatch/postgres/transact'
import { sql } from 'kysely'
import type { Db } from '../database.ts'

/** The subjects of one sign-in attempt, as keyed hashes. */
export type SignInSubjects = Readonly<Record<SignInSubjectKind, Buffer>>

/**
 * Returns the failed attempts of the subjects, with their age by the database's clock, and whether the pair signed in
 * within this many days.
 */
export async function readSignInHistory(
  db: Db,
  { pair, user, source }: SignInSubjects,
  { knownDays }: { knownDays: number },
): Promise<SignInHistory> {
  const { rows } = await sql<SignInHistory>`
    select
      (select coalesce(json_object_agg(kind, json_build_object('failures', failures, 'ageMs',
          extract(epoch from clock_timestamp() - last_failed_at)::float8 * 1000)), '{}')
        from sign_in_failure
        where (kind, subject_hash) in (('pair', ${pair}), ('user', ${user}), ('source', ${source}))) as failures,
      exists (
        select from known_sign_in
        where pair_hash = ${pair}
          and last_at > now() - ${knownDays}::integer * interval '1 day') as "isKnown"`.execute(db)
  return rows[0]!
}

/**
 * Counts one failed attempt for each subject. Concurrent attempts are all counted. A count older than `forgetSeconds`
 * starts again. Always pass the subjects in the same order: their rows are locked in it.
 */
export async function countSignInFailure(
  db: Db,
  subjects: readonly { kind: SignInSubjectKind; hash: Buffer; forgetSeconds: number }[],
): Promise<void> {
  if (subjects.length === 0) return
  await transact(db, async (tx) => {
    for (const { kind, hash, forgetSeconds } of subjects) {
      await sql`
      insert into sign_in_failure as known (kind, subject_hash, failures) values (${kind}, ${hash}, 1)
      on conflict (kind, subject_hash) do update set
        failures = case
          when known.last_failed_at < now() - ${forgetSeconds}::integer * interval '1 second' then 1
          else least(known.failures + 1, ${failuresMax}) end,
        last_failed_at = clock_timestamp()`.execute(tx)
    }
  })
}

const failuresMax = 1_000_000

/** Records that a pair signed in, once a day, and deletes its failed attempts. */
export async function recordSignIn(db: Db, pair: Buffer): Promise<void> {
  const record = sql`
    with cleared as (delete from sign_in_failure where kind = 'pair' and subject_hash = ${pair})
    insert into known_sign_in as known (pair_hash) values (${pair})
    on conflict (pair_hash) do update set last_at = now() where known.last_at < now() - interval '1 day'`
  await repeatLost(() => record.execute(db))
}

/** Deletes counts that have not grown, and pairs that have not signed in, for so long that they no longer matter. */
export async function deleteOldSignIns(
  db: Db,
  { failureSeconds, knownDays }: { failureSeconds: number; knownDays: number },
): Promise<void> {
  const failures = sql`
    delete from sign_in_failure
    where last_failed_at < now() - ${failureSeconds}::integer * interval '1 second'`
  const known = sql`
    delete from known_sign_in
    where last_at < now() - ${knownDays}::integer * interval '1 day'`
  await repeatLost(() => failures.execute(db))
  await repeatLost(() => known.execute(db))
}
