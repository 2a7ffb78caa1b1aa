import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { repeatLost } from '../lost-reply.ts'
import { transact } from '../transact.ts'

/** A user name or a source address, as a keyed hash. */
export type SignInSubject = { kind: 'user' | 'source'; hash: Buffer }

/** The failed attempts of one subject, and the age of the last one in milliseconds, by the database's clock. */
export type SignInFailures = { kind: 'user' | 'source'; failures: number; ageMs: number }

/** Returns those of the subjects that have failed attempts. */
export async function listSignInFailures(
  db: Db,
  subjects: readonly SignInSubject[],
): Promise<SignInFailures[]> {
  return db
    .selectFrom('sign_in_failure')
    .select(['kind', 'failures', ageMs.as('ageMs')])
    .where(({ or, and, eb }) =>
      or(
        subjects.map(({ kind, hash }) =>
          and([eb('kind', '=', kind), eb('subject_hash', '=', hash)]),
        ),
      ),
    )
    .execute()
}

/**
 * Counts one failed attempt for each subject. Concurrent attempts are all counted. A count older than `forgetSeconds`
 * starts again. Always pass the subjects in the same order: their rows are locked in it.
 */
export async function countSignInFailure(
  db: Db,
  subjects: readonly (SignInSubject & { forgetSeconds: number })[],
): Promise<void> {
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

/** Deletes the failed attempts of one subject. */
export async function clearSignInFailures(db: Db, { kind, hash }: SignInSubject): Promise<void> {
  const forget = db
    .deleteFrom('sign_in_failure')
    .where('kind', '=', kind)
    .where('subject_hash', '=', hash)
  await repeatLost(() => forget.execute())
}

/** Deletes counts that have not grown for so long that they no longer matter. */
export async function deleteOldSignInFailures(db: Db, olderThanSeconds: number): Promise<void> {
  await sql`
    delete from sign_in_failure
    where last_failed_at < now() - ${olderThanSeconds}::integer * interval '1 second'`.execute(db)
}

const ageMs = sql<number>`extract(epoch from clock_timestamp() - last_failed_at)::float8 * 1000`
