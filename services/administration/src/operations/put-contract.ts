import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { renderContract } from '@despatch/contracts/administration/contract'
import { putContract as operation } from '@despatch/contracts/administration/operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { ListedContract } from '@despatch/store/access/contracts'
import type { Db } from '@despatch/store/database'
import { transact } from '@despatch/store/transact'
import { getListedConsumer } from '../consumer/change-consumer.ts'
import {
  type ContractPair,
  type ContractTerms,
  isContractAtRest,
  lockContract,
  saveContract,
  unblockStrictLane,
} from '../consumer/contracts.ts'
import { withoutRepeats } from '../consumer/name-lists.ts'
import { actorOf } from '../operator/actor-of.ts'

/**
 * How long a contract must have been retired before its terms may change, in seconds. Longer than the print-request
 * service caches a contract.
 */
const retiredForSeconds = 5

/** PUT /consumers/{consumerId}/contracts/{jobType}/{templateReference}: creates or changes a contract. */
export function putContract(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { params, body, caller } = request
      const { suppliedFileKey = null, retentionDays = null, callbackStatuses, ...others } = body
      const terms = {
        ...others,
        suppliedFileKey,
        retentionDays,
        callbackStatuses: withoutRepeats(callbackStatuses),
      }
      await getListedConsumer(db, params.consumerId)
      const { contract, isFresh } = await transact(db, (tx) =>
        agree(tx, params, terms, actorOf(caller)),
      )
      return reply.code(isFresh ? 201 : 200).send(renderContract(contract))
    },
  })
}

async function agree(tx: Db, pair: ContractPair, terms: ContractTerms, actor: string) {
  const known = await lockContract(tx, pair)
  if (known && isAgreed(known, terms)) return { contract: known, isFresh: false }
  if (known && changesProduction(known, terms)) await refuseInUse(tx, pair, known)
  const contract = await saveContract(tx, pair, { ...terms, id: known?.id ?? randomUUID() })
  if (contract.callbackOrder !== 'strict') await unblockStrictLane(tx, contract.id)
  const { consumerId, jobType, templateReference } = pair
  await insertAuditEvent(tx, {
    actor,
    action: 'contract.saved',
    consumerId,
    detail: { contractId: contract.id, jobType, templateReference, ...terms },
  })
  return { contract, isFresh: !known }
}

function isAgreed(
  { id: _, jobType: _jobType, templateReference: _reference, retiredAt, ...known }: ListedContract,
  terms: ContractTerms,
): boolean {
  return retiredAt === null && isDeepStrictEqual(known, { ...terms })
}

function changesProduction(known: ContractTerms, terms: ContractTerms): boolean {
  return known.production !== terms.production || known.suppliedFileKey !== terms.suppliedFileKey
}

/**
 * Throws a Problem if the contract is in use. A print job is accepted if it has the file that its contract names at
 * that moment, and composing it by other terms would fail. So these terms change only once the contract has been
 * retired and no print job of it is in QUARANTINE or VALIDATING.
 */
async function refuseInUse(tx: Db, { consumerId }: ContractPair, { id }: ListedContract) {
  const use = { consumerId, contractId: id }
  if (await isContractAtRest(tx, use, { retiredForSeconds })) return
  throw new Problem(
    'contract-in-use',
    `production and suppliedFileKey can change only after the contract has been retired for ${retiredForSeconds} seconds and while none of its print jobs is in QUARANTINE or VALIDATING`,
  )
}
