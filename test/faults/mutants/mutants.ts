/** A small break of a protection, and the scenario that must find it. */
export type Mutant = {
  /** The wrong behaviour that the break causes. */
  name: string
  file: string
  /** The text to replace. It must occur exactly once in the file. */
  find: string
  replace: string
  /** The number of the scenario. */
  scenario: number
}

const printJobs = 'packages/store/src/print-job/print-jobs.ts'
const batchLease = 'packages/work/src/batch-lease.ts'
const submissions = 'packages/store/src/print-job/submissions.ts'
const leaseCallbacks = 'packages/store/src/callback/lease.ts'

/**
 * Each mutant removes one protection. Protections that a second one covers fully are left out: nothing goes wrong
 * without them.
 */
export const mutants: readonly Mutant[] = [
  // fences of a letter's step, and leases of batches
  {
    name: 'a status moves without the current epoch',
    file: printJobs,
    find: `          and (move.epoch is null or job.step_epoch = move.epoch)\n`,
    replace: '',
    scenario: 6,
  },
  {
    name: 'a batch is taken while another worker has it',
    file: batchLease,
    find: `and epoch = \${epoch} and leased_until is null and \${forgettable}\n      returning epoch,`,
    replace: `and epoch >= \${epoch} and \${forgettable}\n      returning epoch,`,
    scenario: 17,
  },
  {
    name: 'a batch is given up while its worker has it',
    file: batchLease,
    find: `leased_until < now() - \${graceSeconds}::integer * interval '1 second'`,
    replace: `leased_until < now() + \${graceSeconds}::integer * interval '1 hour'`,
    scenario: 5,
  },
  {
    name: 'a worker whose clock is off goes on',
    file: 'services/pipeline/src/watch/check-clock.ts',
    find: 'isRight = Math.abs(skewMs) <= skewMsMax',
    replace: 'isRight = Math.abs(skewMs) <= skewMsMax * 1_000',
    scenario: 8,
  },
  // order of the statuses of a letter
  {
    name: 'the events of a letter have gaps',
    file: printJobs,
    find: `event_sequence = job.event_sequence + \${isReleased ? 2 : 1},`,
    replace: `event_sequence = job.event_sequence + \${isReleased ? 3 : 2},`,
    scenario: 1,
  },
  {
    name: 'a letter is deleted when it is no longer PENDING',
    file: 'packages/store/src/print-job/delete-print-job.ts',
    find: 'actOnPrintJob(tx, ref, action, ({ key })',
    replace: 'actOnPrintJob(tx, ref, { refusals: [] }, ({ key })',
    scenario: 22,
  },
  {
    name: 'a letter that skips a write has no release in its timeline',
    file: printJobs,
    find: `      from moved where \${isReleased}\n`,
    replace: `      from moved where \${isReleased} and false\n`,
    scenario: 1,
  },
  // commit before enqueue, and recovery of lost tasks
  {
    name: 'a letter is saved and waits nowhere',
    file: submissions,
    find: `    from job join input using (key)\n  ), term as (`,
    replace: `    from job join input using (key) where false\n  ), term as (`,
    scenario: 1,
  },
  {
    name: 'a batch that its queue lost is not offered again',
    file: 'packages/work/src/form-batches.ts',
    find: `    where due_at <= now() and leased_until is null and queue <> all`,
    replace: `    where due_at <= now() - interval '1 hour' and leased_until is null and queue <> all`,
    scenario: 13,
  },
  {
    name: 'batches whose worker died are not given up',
    file: batchLease,
    find: `leased_until < now() - \${graceSeconds}::integer * interval '1 second'`,
    replace: `leased_until < now() - \${graceSeconds}::integer * interval '1 hour'`,
    scenario: 18,
  },
  {
    name: 'letters of a batch that is given up wait nowhere',
    file: 'packages/store/src/print-job/letter-kind.ts',
    find: `consumer_id, key, step_epoch from job\n`,
    replace: `consumer_id, key, step_epoch from job where false\n`,
    scenario: 18,
  },
  {
    name: 'the outcome of a COMMIT whose reply was lost is not looked up',
    file: 'packages/postgres/src/transact.ts',
    find: '    await confirm(done.mark, error)\n    return done.result\n',
    replace: '    throw error\n',
    scenario: 3,
  },
  // deduplication
  {
    name: 'a submission does not know its own letter',
    file: submissions,
    find: `  if (existing.key === key) return { kind: 'saved', id }\n`,
    replace: '',
    scenario: 3,
  },
  {
    name: 'a repeat with the same Idempotency-Key is refused',
    file: submissions,
    find: 'if (existing.repeated && existing.same) return',
    replace: 'if (existing.repeated && existing.same && existing.id !== id) return',
    scenario: 1,
  },
  {
    name: 'a file that was checked stays where its sender can write',
    file: 'services/pipeline/src/stages/quarantine-file.ts',
    find: 'const copy = { from: key, to: fileKey(read.sha256), etag }',
    replace: 'const copy = { from: key, to: key, etag }',
    scenario: 19,
  },
  // print runs
  {
    name: 'a claim that is repeated is made again',
    file: 'packages/store/src/print-run/claim.ts',
    find: '    if (earlier) return repeatClaim(earlier, claim)\n',
    replace: '',
    scenario: 20,
  },
  {
    name: 'a run that was claimed is frozen again',
    file: 'packages/store/src/print-run/claim.ts',
    find: `      run.state === 'RELEASED'\n        ? await freezeManifest`,
    replace: `      run.state !== 'OPEN'\n        ? await freezeManifest`,
    scenario: 20,
  },
  {
    name: 'two claims of a run go on at once',
    file: 'packages/store/src/print-run/lock.ts',
    find: `    .where('state', '<>', 'OPEN')\n    .forNoKeyUpdate()\n`,
    replace: `    .where('state', '<>', 'OPEN')\n`,
    scenario: 20,
  },
  {
    name: 'a reprint has the number of the attempt before it',
    file: 'packages/store/src/reprint/reprints.ts',
    find: 'attempt: standing!.attempt + 1,',
    replace: 'attempt: standing!.attempt,',
    scenario: 21,
  },
  {
    name: 'an event that comes twice is another event',
    file: 'packages/store/src/item-event/judge.ts',
    find: '    if (known) {\n',
    replace: '    if (known && known.batchNumber !== report.batchNumber) {\n',
    scenario: 21,
  },
  {
    name: 'a posting that was confirmed is confirmed again',
    file: 'packages/store/src/posting/confirm.ts',
    find: '    if (!confirmedAt) {\n',
    replace: '    if (!confirmedAt || confirmedAt) {\n',
    scenario: 20,
  },
  {
    name: 'a run stays with the process that died while it released it',
    file: 'services/pipeline/src/print-run/release.ts',
    find: 'const leaseSeconds = 15\n',
    replace: 'const leaseSeconds = 3_600\n',
    scenario: 5,
  },
  // callbacks
  {
    name: 'a move owes no callback',
    file: printJobs,
    find: `  await insertCallbacks(tx, owed, { kind: 'status', status: to })\n`,
    replace: '',
    scenario: 1,
  },
  {
    name: 'taken callbacks are not in their batch',
    file: leaseCallbacks,
    find: 'array_agg(attempt_epoch order by place)',
    replace: 'array_agg(-1 order by place)',
    scenario: 1,
  },
  {
    name: 'the call of a process that died is not noticed',
    file: 'packages/store/src/callback/callback-kind.ts',
    find: `  if (calls.length === 0) return 0\n`,
    replace: `  if (calls.length >= 0) return 0\n`,
    scenario: 5,
  },
  {
    name: 'the last attempt comes after the end of its window',
    file: 'packages/domain/src/callback/retry.ts',
    find: 'return left - delay < firstDelaySeconds ? end : later(finishedAt, delay)',
    replace: 'return later(finishedAt, Math.max(delay, left < 0 ? 0 : delay))',
    scenario: 23,
  },
  // processes that typeset letters
  {
    name: 'a letter is rejected because its process was killed',
    file: 'packages/letters/src/letter-templates.ts',
    find: `        if (!(error instanceof TypesettingLimitExceeded)) throw error\n`,
    replace: '',
    scenario: 28,
  },
  {
    name: 'a stopped process keeps its letter',
    file: 'packages/templates/src/typesetters.ts',
    find: 'if (silentSeconds > silentSecondsMax) end()',
    replace: '',
    scenario: 28,
  },
  // shutdown
  {
    name: 'a process that stops does not say so',
    file: 'packages/http/src/stopping.ts',
    find: '  api.stopping.hasBegun = true\n',
    replace: '',
    scenario: 26,
  },
]
