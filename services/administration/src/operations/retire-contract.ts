import { retireContract as operation } from '@despatch/contracts/administration/operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { contractColumns, type ListedContract, toContract } from '@despatch/store/access/contracts'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { getListedConsumer } from '../consumer/consumers.ts'
import { type ContractPair, lockContract } from '../consumer/contracts.ts'
import { actorOf } from '../operator/access.ts'

/**
 * DELETE /consumers/{consumerId}/contracts/{jobType}/{templateReference}: accepts no more print jobs for the contract.
 * Its row stays, because its print jobs are produced by it and a submission under way may still name it.
 */
export function retireContract(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { params, caller } = request
      await getListedConsumer(db, params.consumerId)
      return transact(db, (tx) => retire(tx, params, actorOf(caller)))
    },
  })
}

async function retire(tx: Db, pair: ContractPair, actor: string): Promise<ListedContract> {
  const { consumerId, jobType, templateReference } = pair
  const known = await lockContract(tx, pair)
  if (!known) {
    throw new Problem(
      'contract-not-found',
      `There is no contract for jobType ${jobType} and templateReference ${templateReference}`,
    )
  }
  if (known.retiredAt) return known
  await insertAuditEvent(tx, {
    actor,
    action: 'contract.retired',
    consumerId,
    detail: { contractId: known.id, jobType, templateReference },
  })
  const row = await tx
    .updateTable('contract')
    .set({ retired_at: sql<Date>`now()` })
    .where('id', '=', known.id)
    .returning(contractColumns)
    .executeTakeFirstOrThrow()
  return toContract(row)
}
