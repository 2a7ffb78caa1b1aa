import type { Addressee } from '@despatch/domain/address/addressee'
import { printJobActions } from '@despatch/domain/operator-action/print-job-actions'
import type { Finding } from '@despatch/domain/preflight/finding'
import type { PrintRunDespatchMethod } from '@despatch/domain/print-run/despatch-method'
import { sql } from 'kysely'
import type { Tx } from '../database.ts'
import { markObjectsForDeletion } from '../purge/mark-for-deletion.ts'
import { type ActionOutcome, actOnPrintJob, type By, type PrintJobRef } from './lock.ts'
import { notePrintJobs } from './notes.ts'
import type { Made } from './print-jobs.ts'

/** The letter of a print job, made again for another addressee. */
export type AddressOverride = {
  addressee: Addressee
  /** The despatch method by which it is produced now. */
  producedAs: PrintRunDespatchMethod
  /** The document is already in the object store. */
  made: Made
  findings: readonly Finding[]
  /** What the findings say to the consumer. Null: nothing. */
  comment: string | null
  /** SHA-256, in hexadecimal, of the document that the print job had when the new one was made. */
  replacesSha256: string | null
}

const changedMeanwhile = 'Its letter has changed in the meantime. Check it again.'

/**
 * Replaces the letter of a held print job and marks the previous document for deletion. The submitted data stays, and
 * the timeline does not contain the address. Refused if the print job no longer has the document that was examined.
 */
export async function saveAddressOverride(
  tx: Tx,
  ref: PrintJobRef,
  override: AddressOverride,
  by: By,
): Promise<ActionOutcome> {
  const { findings, made, replacesSha256 } = override
  return actOnPrintJob(
    tx,
    ref,
    printJobActions['override-address'],
    async ({ key }) => {
      await replaceLetter(tx, key, override)
      if (replacesSha256 !== null && replacesSha256 !== made.documentSha256) {
        await markObjectsForDeletion(tx, [{ kind: 'document', sha256: replacesSha256 }], 'replaced')
      }
      const note = { key, note: 'override-address', reason: by.reason, findings } as const
      await notePrintJobs(tx, [note], by)
    },
    ({ documentSha256 }) => (documentSha256 === replacesSha256 ? null : changedMeanwhile),
  )
}

async function replaceLetter(
  tx: Tx,
  key: string,
  { addressee, producedAs, made, comment }: AddressOverride,
): Promise<void> {
  await sql`
    update print_job set
      address_override = ${JSON.stringify(addressee)}::jsonb,
      address_overridden_at = now(),
      comment = ${comment},
      printable_address = ${JSON.stringify(made.printableAddress)}::jsonb,
      produced_as = ${producedAs},
      document_sha256 = decode(${made.documentSha256}, 'hex'),
      document_bytes = ${made.documentBytes},
      document_pages = ${made.documentPages},
      document_sheets = ${made.documentSheets}
    where key = ${key}`.execute(tx)
  // the document may return to a run that is still gathering, which must not keep the old letter
  await sql`
    update print_run_document document set
      sha256 = decode(${made.documentSha256}, 'hex'), bytes = ${made.documentBytes}, pages = ${made.documentPages},
      sheets = ${made.documentSheets}
    from print_run run
    where document.document_id = (select 'D' || document_number from print_job where key = ${key})
      and document.removed_at is not null
      and run.batch_number = document.batch_number and run.state = 'OPEN'
      and run.release_began_at is null`.execute(tx)
}
