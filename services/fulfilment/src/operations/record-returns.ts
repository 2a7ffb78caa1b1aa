import type { ReturnsResponse } from '@despatch/contracts/print-fulfilment/returned-letter'
import { recordReturns as operation } from '@despatch/contracts/print-fulfilment/site-operations'
import type { ReturnJudgement, ReturnRefusal } from '@despatch/domain/print-run/returned-letter'
import type { Api } from '@despatch/http/api'
import { addToLogLine } from '@despatch/http/request-log'
import type { Db } from '@despatch/store/database'
import { recordReturns as recordStored } from '@despatch/store/returned-letter/returned-letters'
import { providerOf } from '../provider-of.ts'
import { hashRequest } from '../request-hash.ts'

/** POST /returns: records letters that came back, and why. */
export function recordReturns(api: Api, { db }: { db: Db }): void {
  api.route({
    ...operation,
    handler: async (request) => {
      const { returns } = request.body
      const judgements = await recordStored(db, {
        providerId: providerOf(request.caller),
        returns: returns.map((each) => ({
          ...each,
          returnHash: hashRequest(each),
          scannedAt: new Date(each.scannedAt),
        })),
      })
      const results = returns.map(({ returnId }, index) => ({
        returnId,
        ...resultOf(judgements[index]!),
      }))
      const recordedCount = results.filter(({ result }) => result === 'RECORDED').length
      addToLogLine(request, { returnCount: returns.length, recordedCount })
      return { results }
    },
  })
}

function resultOf(
  judgement: ReturnJudgement,
): Omit<ReturnsResponse['results'][number], 'returnId'> {
  switch (judgement.kind) {
    case 'record':
      return { result: 'RECORDED' }
    case 'duplicate':
      return { result: 'DUPLICATE' }
    case 'refuse':
      return { result: 'REFUSED', refusal: judgement.reason, detail: details[judgement.reason] }
  }
}

const details: Record<ReturnRefusal, string> = {
  'unknown-document': 'None of your documents has this documentId or mailmarkItemId',
  'not-despatched': 'The letter has not been despatched: its posting is not confirmed',
  'return-id-reused': 'The returnId belongs to another return, or was used with other content',
  'already-returned': 'The letter was already returned with another returnId',
}
