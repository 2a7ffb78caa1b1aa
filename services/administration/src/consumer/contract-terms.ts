import { isDeepStrictEqual } from 'node:util'
import type { putContractSchema } from '@despatch/contracts/administration/contract'
import { refusalTerms } from '@despatch/domain/contract/refusal-term'
import type { Contract, ListedContract } from '@despatch/store/access/contracts'
import type { Db } from '@despatch/store/database'
import { sql } from 'kysely'
import type { z } from 'zod'
import type { AgreedTemplate } from './agreed-template.ts'

/**
 * How long a contract must have been retired before its terms may change, in seconds. Longer than the print-request
 * service caches a contract.
 */
const retiredForSeconds = 5

export type ContractTerms = Omit<Contract, 'id' | 'jobType' | 'templateReference'>

/**
 * Returns the terms of a request as they are stored. What a contract may refuse stays as it is in `known` if the request
 * leaves it out, so that callers who do not know these terms make no contract refuse more.
 */
export function termsOf(
  body: z.output<typeof putContractSchema>,
  known: ListedContract | undefined,
  agreed: AgreedTemplate,
): ContractTerms {
  const { suppliedFileKey = null, retentionDays = null, ...others } = body
  const { unknownMembers, unreadableFiles, lettersWithoutFile } = known ?? refusalTerms
  return {
    unknownMembers,
    unreadableFiles,
    lettersWithoutFile,
    ...others,
    suppliedFileKey,
    retentionDays,
    ...agreed,
    callbackStatuses: [...new Set(body.callbackStatuses)],
    refusedRules: [...new Set(body.refusedRules)].sort(),
  }
}

/** Returns the terms of a stored contract. */
export function termsOfContract(contract: ListedContract): ContractTerms {
  const {
    id: _,
    jobType: _jobType,
    templateReference: _reference,
    retiredAt: __,
    ...terms
  } = contract
  return terms
}

export function isAgreed(known: ListedContract, terms: ContractTerms): boolean {
  return known.retiredAt === null && isDeepStrictEqual(termsOfContract(known), { ...terms })
}

/**
 * Returns why the contract cannot have these terms now, or undefined. A print job is accepted if it has the file that
 * its contract names at that moment, and composing it by other terms would fail. So these terms change only once the
 * contract has been retired and no print job of it is in QUARANTINE or VALIDATING.
 */
export async function whyNotAgree(
  db: Db,
  { consumerId, known, terms }: { consumerId: string; known: ListedContract; terms: ContractTerms },
): Promise<string | undefined> {
  if (!changesProduction(known, terms)) return undefined
  if (await isContractAtRest(db, { consumerId, contractId: known.id })) return undefined
  return `production and suppliedFileKey can change only after the contract has been retired for ${retiredForSeconds} seconds and while none of its print jobs is in QUARANTINE or VALIDATING`
}

function changesProduction(known: ContractTerms, terms: ContractTerms): boolean {
  return known.production !== terms.production || known.suppliedFileKey !== terms.suppliedFileKey
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
