import { randomUUID } from 'node:crypto'
import { putContract as operation } from '@despatch/contracts/administration/operations'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import {
  type Contract,
  contractColumns,
  type ListedContract,
  toContract,
} from '@despatch/store/access/contracts'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import { agreedTemplate } from '../consumer/agreed-template.ts'
import { getListedConsumer } from '../consumer/consumers.ts'
import { type ContractTerms, isAgreed, termsOf, whyNotAgree } from '../consumer/contract-terms.ts'
import { type ContractPair, lockContract } from '../consumer/contracts.ts'
import { actorOf } from '../operator/access.ts'

type Body = Parameters<typeof termsOf>[0]

/** PUT /consumers/{consumerId}/contracts/{jobType}/{templateReference}: creates or changes a contract. */
export function putContract(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { params, body, caller } = request
      await getListedConsumer(db, params.consumerId)
      const { contract, isFresh } = await transact(db, (tx) =>
        agree(tx, params, body, actorOf(caller)),
      )
      return reply.code(isFresh ? 201 : 200).send(contract)
    },
  })
}

async function agree(tx: Db, pair: ContractPair, body: Body, actor: string) {
  const known = await lockContract(tx, pair)
  const terms = termsOf(body, known, await agreedTemplate(tx, body))
  if (known && isAgreed(known, terms)) return { contract: known, isFresh: false }
  const whyNot = known && (await whyNotAgree(tx, { consumerId: pair.consumerId, known, terms }))
  if (whyNot !== undefined) throw new Problem('contract-in-use', whyNot)
  const contract = await saveContract(tx, pair, { ...terms, id: known?.id ?? randomUUID() })
  if (contract.callbackOrder !== 'strict') await unblockStrictOrder(tx, contract.id)
  const { consumerId, jobType, templateReference } = pair
  await insertAuditEvent(tx, {
    actor,
    action: 'contract.saved',
    consumerId,
    detail: {
      contractId: contract.id,
      jobType,
      templateReference,
      ...terms,
      ...(known && { before: termsIn(known, terms) }),
    },
  })
  return { contract, isFresh: !known }
}

/** Returns the terms of a contract that are in `terms`. */
function termsIn(contract: ListedContract, terms: ContractTerms): ContractTerms {
  const names = Object.keys(terms) as (keyof ContractTerms)[]
  return Object.fromEntries(names.map((name) => [name, contract[name]])) as ContractTerms
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
    callback_concurrency: terms.callbackConcurrency,
    hold_for_approval: terms.holdForApproval,
    retention_days: terms.retentionDays,
    strict: terms.strict,
    refused_rules: sql<string[]>`${terms.refusedRules}::text[]`,
    unknown_members: terms.unknownMembers,
    unreadable_files: terms.unreadableFiles,
    letters_without_file: terms.lettersWithoutFile,
    template: terms.template,
    template_languages:
      terms.templateLanguages && sql<string[]>`${terms.templateLanguages}::text[]`,
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
 * Unblocks the callbacks that wait in the strict order of a contract that no longer has strict order. New callbacks of
 * its print jobs are due at once and must not overtake these. Callbacks that another transaction is writing still wait
 * for their turn.
 */
async function unblockStrictOrder(db: Db, contractId: string): Promise<void> {
  await sql`
    with waiting as (
      select id from callback where strict_contract_id = ${contractId} and state = 'WAITING' for no key update skip locked
    )
    update callback set state = 'DUE', due_at = now(), strict_contract_id = null, attempt_epoch = attempt_epoch + 1
    from waiting where callback.id = waiting.id`.execute(db)
}
