import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { renderContract } from '@despatch/contracts/administration/contract'
import { putContract as operation } from '@despatch/contracts/administration/operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import {
  type Contract,
  contractColumns,
  type ListedContract,
  toContract,
} from '@despatch/store/access/contracts'
import type { Db } from '@despatch/store/database'
import { transact } from '@despatch/store/transact'
import { sql } from 'kysely'
import { getListedConsumer } from '../consumer/consumers.ts'
import { type ContractPair, lockContract } from '../consumer/contracts.ts'
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
      const { suppliedFileKey = null, retentionDays = null, ...others } = body
      const terms = {
        ...others,
        suppliedFileKey,
        retentionDays,
        callbackStatuses: [...new Set(body.callbackStatuses)],
        refusedRules: [...new Set(body.refusedRules)].sort(),
      }
      await getListedConsumer(db, params.consumerId)
      const { contract, isFresh } = await transact(db, (tx) =>
        agree(tx, params, terms, actorOf(caller)),
      )
      return reply.code(isFresh ? 201 : 200).send(renderContract(contract))
    },
  })
}

type ContractTerms = Omit<Contract, 'id' | 'jobType' | 'templateReference'>

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
  if (await isContractAtRest(tx, use)) return
  throw new Problem(
    'contract-in-use',
    `production and suppliedFileKey can change only after the contract has been retired for ${retiredForSeconds} seconds and while none of its print jobs is in QUARANTINE or VALIDATING`,
  )
}

/**
 * Returns true if no letter is or will be made under the contract's current terms. The contract must have been retired
 * long enough that no submission uses it, and none of its print jobs may be in QUARANTINE or VALIDATING.
 */
async function isContractAtRest(
  db: Db,
  { consumerId, contractId }: { consumerId: string; contractId: string },
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

/** Creates the contract of the pair, or updates its terms. A retired contract becomes active again. */
async function saveContract(
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
    strict: terms.strict,
    refused_rules: sql<string[]>`${terms.refusedRules}::text[]`,
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

/**
 * Unblocks the callbacks that wait in the strict lane of a contract that no longer has strict order. New callbacks of
 * its print jobs are due at once and must not overtake these. Callbacks that another transaction is writing still wait
 * for their turn.
 */
async function unblockStrictLane(db: Db, contractId: string): Promise<void> {
  await sql`
    with waiting as (
      select id from callback where strict_lane = ${contractId} and state = 'WAITING' for no key update skip locked
    )
    update callback set state = 'DUE', due_at = now(), strict_lane = null, attempt_epoch = attempt_epoch + 1
    from waiting where callback.id = waiting.id`.execute(db)
}
