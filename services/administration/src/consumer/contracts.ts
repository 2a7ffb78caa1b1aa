import { type ListedContract, selectContracts, toContract } from '@despatch/store/access/contracts'
import type { Db } from '@despatch/store/database'

/** What identifies a contract. */
export type ContractPair = { consumerId: string; jobType: string; templateReference: string }

/** Lists every contract of a consumer, including retired ones, by jobType and templateReference. */
export async function listAllContracts(db: Db, consumerId: string): Promise<ListedContract[]> {
  const rows = await selectContracts(db)
    .where('consumer_id', '=', consumerId)
    .orderBy('job_type')
    .orderBy('template_reference')
    .execute()
  return rows.map(toContract)
}

/** Finds the contract of the pair, retired or not. */
export async function findContract(
  db: Db,
  pair: ContractPair,
): Promise<ListedContract | undefined> {
  const row = await selectPair(db, pair).executeTakeFirst()
  return row && toContract(row)
}

/** The same, and locks it until the transaction ends. */
export async function lockContract(
  tx: Db,
  pair: ContractPair,
): Promise<ListedContract | undefined> {
  const row = await selectPair(tx, pair).forUpdate().executeTakeFirst()
  return row && toContract(row)
}

function selectPair(db: Db, { consumerId, jobType, templateReference }: ContractPair) {
  return selectContracts(db)
    .where('consumer_id', '=', consumerId)
    .where('job_type', '=', jobType)
    .where('template_reference', '=', templateReference)
}
