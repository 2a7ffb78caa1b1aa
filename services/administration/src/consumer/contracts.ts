import {
  type Contract,
  contractColumns,
  type ListedContract,
  selectContracts,
  toContract,
} from '@despatch/store/access/contracts'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'

export type ContractPair = { consumerId: string; jobType: string; templateReference: string }
export type ContractTerms = Omit<Contract, 'id' | 'jobType' | 'templateReference'>

/** Lists every contract of a consumer, including retired ones, by jobType and templateReference. */
export async function listAllContracts(db: Db, consumerId: string): Promise<ListedContract[]> {
  const rows = await selectContracts(db)
    .where('consumer_id', '=', consumerId)
    .orderBy('job_type')
    .orderBy('template_reference')
    .execute()
  return rows.map(toContract)
}

/** Reads the contract of the pair, retired or not, and locks it until the transaction ends. */
export async function lockContract(
  tx: Db,
  pair: ContractPair,
): Promise<ListedContract | undefined> {
  const row = await selectContracts(tx)
    .where('consumer_id', '=', pair.consumerId)
    .where('job_type', '=', pair.jobType)
    .where('template_reference', '=', pair.templateReference)
    .forUpdate()
    .executeTakeFirst()
  return row && toContract(row)
}

/** Creates the contract of the pair, or updates its terms. A retired contract becomes active again. */
export async function saveContract(
  tx: Db,
  { consumerId, jobType, templateReference }: ContractPair,
  { id, ...terms }: ContractTerms & { id: string },
): Promise<ListedContract> {
  const columns = {
    production: terms.production,
    supplied_file_key: terms.suppliedFileKey,
    prints_handling_instruction: terms.printsHandlingInstruction,
    plex: terms.plex,
    colour: terms.colour,
    pages_max: terms.pagesMax,
    callback_statuses: sql<Contract['callbackStatuses']>`${terms.callbackStatuses}::text[]`,
    rule_set: terms.ruleSet,
    address_placement: terms.addressPlacement,
    marks: terms.marks,
    stationery: terms.stationery,
    template_data: terms.templateData,
    callback_returns: terms.callbackReturns,
    callback_order: terms.callbackOrder,
    hold_for_approval: terms.holdForApproval,
    retention_days: terms.retentionDays,
    retired_at: null,
  }
  const row = await tx
    .insertInto('contract')
    .values({
      id,
      consumer_id: consumerId,
      job_type: jobType,
      template_reference: templateReference,
      ...columns,
    })
    .onConflict((conflict) =>
      conflict.columns(['consumer_id', 'job_type', 'template_reference']).doUpdateSet(columns),
    )
    .returning(contractColumns)
    .executeTakeFirstOrThrow()
  return toContract(row)
}

export async function retireContract(tx: Db, contractId: string): Promise<ListedContract> {
  const row = await tx
    .updateTable('contract')
    .set({ retired_at: sql<Date>`now()` })
    .where('id', '=', contractId)
    .returning(contractColumns)
    .executeTakeFirstOrThrow()
  return toContract(row)
}

/**
 * Returns true if no letter is or will be made under the contract's current terms. The contract must have been retired
 * long enough that no submission uses it, and none of its print jobs may be in QUARANTINE or VALIDATING.
 */
export async function isContractAtRest(
  db: Db,
  { consumerId, contractId }: { consumerId: string; contractId: string },
  { retiredForSeconds }: { retiredForSeconds: number },
): Promise<boolean> {
  const { rows } = await sql<{ isAtRest: boolean }>`
    select retired_at < now() - ${retiredForSeconds}::integer * interval '1 second' and not exists (
      select from print_job
      where consumer_id = ${consumerId} and contract_id = ${contractId}
        and deleted_at is null and status in ('QUARANTINE', 'VALIDATING')
    ) as "isAtRest"
    from contract where id = ${contractId}`.execute(db)
  return rows[0]?.isAtRest === true
}

/**
 * Unblocks the callbacks that wait in the strict lane of a contract that no longer has strict order. New callbacks of
 * its print jobs are due at once and must not overtake these. Callbacks that another transaction is writing still wait
 * for their turn.
 */
export async function unblockStrictLane(db: Db, contractId: string): Promise<void> {
  await sql`
    with waiting as (
      select id from callback where strict_lane = ${contractId} and state = 'WAITING' for no key update skip locked
    )
    update callback set state = 'DUE', due_at = now(), strict_lane = null, attempt_epoch = attempt_epoch + 1
    from waiting where callback.id = waiting.id`.execute(db)
}
