import type { Addressee } from '@despatch/domain/address/addressee'
import type { Finding } from '@despatch/domain/preflight/finding'
import type { PrintJobStatus } from '@despatch/domain/print-job/status'
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../database.ts'
import type { StepFile, TakenStep } from './steps.ts'
import { unstoredPdf } from './unstored-documents.ts'

/** The source of a proof: the print job's document if it has one, otherwise the parts from which it would be made. */
export type ProofSource = Pick<
  TakenStep,
  | 'standardParams'
  | 'submittedAt'
  | 'production'
  | 'suppliedFileKey'
  | 'printsHandlingInstruction'
  | 'plex'
  | 'pagesMax'
  | 'ruleSet'
  | 'addressPlacement'
  | 'marks'
  | 'strict'
  | 'refusedRules'
  | 'documentId'
  | 'customParams'
  | 'template'
  | 'templateLanguages'
> & {
  status: PrintJobStatus
  /** Replaces the submitted address. */
  addressOverride: Addressee | null
  /** True once its source has been purged, or while it is being purged. */
  isPurged: boolean
  document: { sha256: string; bytes: number } | null
  /** The bytes of the document while they are not in the object store. */
  unstoredPdf: Buffer | null
  files: Pick<StepFile, 'fileId' | 'sha256' | 'bytes' | 'mediaType' | 'pinned'>[]
  /** The latest findings of a check in the timeline. Those of the submission are about the request. */
  findings: Finding[]
}

/**
 * Finds the source of a proof of a consumer's own print job. Returns undefined for another consumer's or a deleted one.
 */
export async function findProofSource(
  db: Db,
  consumerId: string,
  id: string,
): Promise<ProofSource | undefined> {
  return findSource(
    db,
    sql`job.consumer_id = ${consumerId} and job.id = ${id} and job.deleted_at is null`,
  )
}

/** As `findProofSource`, for any print job, including a deleted one. */
export async function findProofSourceByKey(db: Db, key: string): Promise<ProofSource | undefined> {
  return findSource(db, sql`job.key = ${key}`)
}

async function findSource(db: Db, isIt: RawBuilder<unknown>): Promise<ProofSource | undefined> {
  const { rows } = await sql<ProofSource>`
    select job.status, job.purge_began_at is not null as "isPurged", job.standard_params as "standardParams",
      job.address_override as "addressOverride", job.created_at as "submittedAt",
      contract.production, contract.supplied_file_key as "suppliedFileKey", contract.plex,
      contract.prints_handling_instruction as "printsHandlingInstruction", contract.pages_max as "pagesMax",
      contract.rule_set as "ruleSet", contract.address_placement as "addressPlacement", contract.marks,
      contract.strict, contract.refused_rules as "refusedRules",
      'D' || job.document_number as "documentId", job.custom_params as "customParams",
      job.template, job.template_languages as "templateLanguages",
      case when job.document_sha256 is not null then
        json_build_object('sha256', encode(job.document_sha256, 'hex'), 'bytes', job.document_bytes)
      end as document,
      (select ${unstoredPdf} from unstored_document where sha256 = job.document_sha256) as "unstoredPdf",
      coalesce((
        select json_agg(json_build_object('fileId', file_id, 'sha256', encode(sha256, 'hex'), 'bytes', bytes,
          'mediaType', media_type, 'pinned', pinned_at is not null) order by position)
        from print_job_file where print_job_key = job.key), '[]') as files,
      coalesce((
        select findings from print_job_event
        where print_job_key = job.key and findings is not null and transition <> 'submit'
        order by sequence desc limit 1), '[]') as findings
    from print_job job join contract on contract.id = job.contract_id
    where ${isIt}`.execute(db)
  return rows[0]
}
