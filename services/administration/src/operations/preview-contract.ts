import type { ContractPreviewResponse } from '@despatch/contracts/administration/contract-change'
import { previewContract as operation } from '@despatch/contracts/administration/operations'
import { termChanges } from '@despatch/domain/contract/term-changes'
import type { Api } from '@despatch/http/api'
import type { ListedContract } from '@despatch/store/access/contracts'
import type { Db } from '@despatch/store/database'
import { agreedTemplate } from '../consumer/agreed-template.ts'
import { getListedConsumer } from '../consumer/consumers.ts'
import {
  type ContractTerms,
  isAgreed,
  termsOf,
  termsOfContract,
  whyNotAgree,
} from '../consumer/contract-terms.ts'
import { findContract } from '../consumer/contracts.ts'

/** POST /consumers/{consumerId}/contracts/{jobType}/{templateReference}/preview: returns what saving it would change. */
export function previewContract(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async ({ params, body }) => {
      const { consumerId } = params
      await getListedConsumer(db, consumerId)
      const known = await findContract(db, params)
      const terms = termsOf(body, known, await agreedTemplate(db, body))
      const whyNot = known && (await whyNotAgree(db, { consumerId, known, terms }))
      return {
        effect: effectOf(known, terms),
        changes: changesOf(known, terms),
        ...(whyNot !== undefined && { whyNot }),
      }
    },
  })
}

function effectOf(
  known: ListedContract | undefined,
  terms: ContractTerms,
): ContractPreviewResponse['effect'] {
  if (!known) return 'create'
  if (known.retiredAt !== null) return 'reactivate'
  return isAgreed(known, terms) ? 'none' : 'change'
}

function changesOf(known: ListedContract | undefined, terms: ContractTerms) {
  const nothing = Object.fromEntries(Object.keys(terms).map((term) => [term, null]))
  return termChanges(known ? termsOfContract(known) : nothing, terms)
}
