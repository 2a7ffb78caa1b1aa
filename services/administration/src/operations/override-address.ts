import { isDeepStrictEqual } from 'node:util'
import { overrideAddress as operation } from '@despatch/contracts/administration/print-job-operations'
import { unknownPrintJob } from '@despatch/contracts/administration/problems'
import { addresseeOf } from '@despatch/domain/address/addressee'
import type { Api } from '@despatch/http/api'
import { withinLimit } from '@despatch/letters/within-limit'
import { saveAddressOverride } from '@despatch/store/print-job/override-address'
import { findProofSourceByKey } from '@despatch/store/print-job/proof'
import { actOnPrintJobByKey } from '../print-job/acts.ts'
import { getPrintJobDetails, requirePossible } from '../print-job/details.ts'
import { commitAgain, type LetterContext, makeAgain } from '../print-job/make-letter-again.ts'

/**
 * POST /print-jobs/{printJobKey}/address: makes the letter again for another addressee. The same addressee changes
 * nothing.
 */
export function overrideAddress(api: Api, context: LetterContext): void {
  const { db } = context
  // A slow letter can be corrected too: the limits of the pipeline apply, not those of a proof.
  const { semaphore } = context.limits
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { printJobKey } = request.params
      await requirePossible(db, printJobKey, 'override-address')
      const source = await findProofSourceByKey(db, printJobKey)
      if (!source) throw unknownPrintJob(printJobKey)
      const known = addresseeOf(source)
      const { recipientName = known.recipientName, address } = request.body
      const addressee = { recipientName, address }
      if (isDeepStrictEqual(addressee, known)) return getPrintJobDetails(db, printJobKey)
      const by = { consumerId: request.caller.consumerId, reply }
      const again = await withinLimit({ semaphore }, by, 'address-override', (signal) =>
        makeAgain(context, source, addressee, signal),
      )
      return commitAgain(context, again, (override) =>
        actOnPrintJobByKey(db, request, {
          act: (tx, ref, by) => saveAddressOverride(tx, ref, override, by),
          recordedAs: 'print-job.address-overridden',
        }),
      )
    },
  })
}
