// Requests to PostgreSQL are recognised by their bytes: the name of a prepared statement, or a part of the text.

/** Intake saves letters: one statement, which commits on its own. */
export const savesLetters = containing('save-submission')

/** Intake saves letters, at least one of them without an Idempotency-Key. */
export const savesWithoutKey = containing('save-submission', '"idempotency_key":null')

/** Intake deletes a letter, in a transaction of its own. */
export const deletesLetter = containing('deleted_at = now(), updated_at = now()')

/** A scheduler forms batches, in a transaction of its own. */
export const formsBatches = containing('form-batches letter')

/** A worker takes a batch of letters, in a transaction of its own. */
export const takesBatch = containing('take-batch letter')

/** A process tells others that it has committed work for them. */
export const nudges = containing('pg_notify')

/** A worker moves letters to their next status. */
export const movesLetters = containing('move-print-jobs')

/** A pipeline numbers the documents of a print run that it releases. */
export const numbersDocuments = containing('sequence = row.sequence')

/** A deliverer records how calls ended. */
export const recordsCalls = containing('callbacks-record')

function containing(...texts: readonly string[]): (bytes: Buffer) => boolean {
  return (bytes) => texts.every((text) => bytes.includes(text, 0, 'latin1'))
}
