import { renderContract } from '@despatch/contracts/administration/contract'
import { retireContract as operation } from '@despatch/contracts/administration/operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { ListedContract } from '@despatch/store/access/contracts'
import type { Db } from '@despatch/store/database'
import { transact } from '@despatch/store/transact'
import { getListedConsumer } from '../consumer/change-consumer.ts'
import {
  type ContractPair,
  lockContract,
  retireContract as retireStored,
} from '../consumer/contracts.ts'
import { actorOf } from '../operator/actor-of.ts'

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
      const contract = await transact(db, (tx) => retire(tx, params, actorOf(caller)))
      return renderContract(contract)
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
  return retireStored(tx, known.id)
}
