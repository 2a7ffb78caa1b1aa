import { type Database, openDatabase } from '@despatch/store/database'

/**
 * A change of the lease, epoch or status of a print job, a batch of letters or a callback, recorded by a trigger of the
 * harness. A print job or callback has no lease of its own: that a process took it is recorded as a change that sets the
 * lease of its batch, and that a process gave a callback back as one that ends it.
 * Times are milliseconds since 1970, by the clock of the database.
 */
export type Change = {
  kind: 'print_job' | 'letter_batch' | 'callback'
  key: string
  /**
   * The process that made the change: the application_name of its session, which is unique to each start of a process.
   */
  writer: string
  /** When its transaction began: the value of `now()` in it. */
  began: number
  /** When the server of the database had started: later after a crash. */
  serverBegan: number
  before: Work
  after: Work
}

export type Work = { epoch: number; status: string; leaseUntil: number | null }

/** The columns of the tables that say who works on a row, and how far the work is. */
const watched = [
  { kind: 'print_job', key: 'key', epoch: 'step_epoch', status: 'status', lease: 'null' },
  { kind: 'letter_batch', key: 'id', epoch: 'epoch', status: 'queue', lease: 'leased_until' },
  { kind: 'callback', key: 'id', epoch: 'attempt_epoch', status: 'state', lease: 'null' },
] as const

/** A worker takes a batch: each of its letters is then taken under the epoch that it has. */
const noteLettersTaken = `
  create function faults.note_letters_taken() returns trigger language plpgsql as $$
  begin
    insert into faults.change (kind, key, writer, began, epoch_before, epoch_after, status_before, status_after,
      lease_before, lease_after)
    select 'print_job', job.key, current_setting('application_name'), now(), job.step_epoch, job.step_epoch,
      job.status, job.status, null, new.leased_until
    from unnest(new.subjects, new.versions) as letter (key, epoch)
    join print_job job on job.key = letter.key and job.step_epoch = letter.epoch;
    return null;
  end $$;
  create trigger note_taken after update on letter_batch for each row
    when (old.leased_until is null and new.leased_until is not null) execute function faults.note_letters_taken()`

/** A process takes callbacks by the batch that it writes. It takes those again that join another of its batches. */
const noteCallbacksTaken = `
  create function faults.note_callbacks_taken() returns trigger language plpgsql as $$
  begin
    insert into faults.change (kind, key, writer, began, epoch_before, epoch_after, status_before, status_after,
      lease_before, lease_after)
    select 'callback', callback.id, current_setting('application_name'), now(), attempt_epoch, attempt_epoch,
      state, state, null, new.leased_until
    from unnest(new.subjects, new.versions) as call (id, epoch)
    join callback on callback.id = call.id and attempt_epoch = call.epoch;
    return null;
  end $$;
  create trigger note_taken after insert on callback_batch for each row execute function faults.note_callbacks_taken()`

/** A process gives callbacks back that it has not called: their batch no longer has them, and they keep their epoch. */
const noteCallbacksGivenBack = `
  create function faults.note_callbacks_given_back() returns trigger language plpgsql as $$
  begin
    insert into faults.change (kind, key, writer, began, epoch_before, epoch_after, status_before, status_after,
      lease_before, lease_after)
    select 'callback', callback.id, current_setting('application_name'), now(), attempt_epoch, attempt_epoch,
      state, state, old.leased_until, null
    from unnest(old.subjects, old.versions) as call (id, epoch)
    join callback on callback.id = call.id and attempt_epoch = call.epoch
    where (tg_op = 'DELETE' or callback.id <> all (new.subjects))
      and not exists (select from callback_batch other where other.id <> old.id and callback.id = any (other.subjects));
    return null;
  end $$;
  create trigger note_given_back after update or delete on callback_batch for each row
    execute function faults.note_callbacks_given_back()`

/** A lease also ends with the row that has it. */
const noteEnded = `
  create function faults.note_ended() returns trigger language plpgsql as $$
  begin
    insert into faults.change (kind, key, writer, began, epoch_before, epoch_after, status_before, status_after,
      lease_before, lease_after)
    values ('letter_batch', old.id, current_setting('application_name'), now(), old.epoch, old.epoch, old.queue, old.queue,
      old.leased_until, null);
    return null;
  end $$;
  create trigger note_ended after delete on letter_batch for each row execute function faults.note_ended()`

/** Installs triggers that record each such change in a separate table, in the same transaction. */
export async function installRecorder(url: string): Promise<void> {
  const { pool, close } = openDatabase(url, { name: 'faults', connectionsMax: 1 })
  try {
    await pool.query(`
      create schema faults;
      create table faults.change (
        id bigint generated always as identity primary key,
        kind text not null, key uuid not null, writer text not null, began timestamptz not null,
        epoch_before integer not null, epoch_after integer not null,
        status_before text not null, status_after text not null,
        lease_before timestamptz, lease_after timestamptz,
        server_began timestamptz not null default pg_postmaster_start_time()
      )`)
    for (const { kind, key, epoch, status, lease } of watched) {
      const leaseOf = (row: string) => (lease === 'null' ? 'null::timestamptz' : `${row}.${lease}`)
      await pool.query(`
        create function faults.note_${kind}() returns trigger language plpgsql as $$
        begin
          insert into faults.change (kind, key, writer, began, epoch_before, epoch_after, status_before, status_after,
            lease_before, lease_after)
          values ('${kind}', new.${key}, current_setting('application_name'), now(), old.${epoch}, new.${epoch},
            old.${status}, new.${status}, ${leaseOf('old')}, ${leaseOf('new')});
          return null;
        end $$;
        create trigger note_change after update on ${kind} for each row
          when ((old.${epoch}, old.${status}, ${leaseOf('old')})
            is distinct from (new.${epoch}, new.${status}, ${leaseOf('new')}))
          execute function faults.note_${kind}()`)
    }
    await pool.query(noteLettersTaken)
    await pool.query(noteCallbacksTaken)
    await pool.query(noteCallbacksGivenBack)
    await pool.query(noteEnded)
  } finally {
    await close()
  }
}

type Row = Omit<Change, 'before' | 'after'> & {
  epochBefore: number
  epochAfter: number
  statusBefore: string
  statusAfter: string
  leaseBefore: number | null
  leaseAfter: number | null
}

const milliseconds = (moment: string) => `(extract(epoch from ${moment}) * 1000)::double precision`

/** Reads all changes. The changes of one row are in the order in which they were made. */
export async function readChanges({ pool }: Database): Promise<Change[]> {
  const { rows } = await pool.query<Row>(
    `select kind, key, writer, ${milliseconds('began')} as began,
       ${milliseconds('server_began')} as "serverBegan", epoch_before as "epochBefore", epoch_after as "epochAfter",
       status_before as "statusBefore", status_after as "statusAfter",
       ${milliseconds('lease_before')} as "leaseBefore", ${milliseconds('lease_after')} as "leaseAfter"
     from faults.change order by id`,
  )
  return rows.map(({ kind, key, writer, began, serverBegan, ...row }) => ({
    kind,
    key,
    writer,
    began,
    serverBegan,
    before: { epoch: row.epochBefore, status: row.statusBefore, leaseUntil: row.leaseBefore },
    after: { epoch: row.epochAfter, status: row.statusAfter, leaseUntil: row.leaseAfter },
  }))
}
