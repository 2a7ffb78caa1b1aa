import { sendTestCallback as operation } from '@despatch/contracts/print-request/callback-operations'
import { renderTestMessage } from '@despatch/domain/callback/test-message'
import { type FieldFault, invalidFields } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { insertTestCallback } from '@despatch/store/callback/test-callback'
import type { Db } from '@despatch/store/database'
import { type CallbackContext, planCallback } from '../callback/plan-callback.ts'
import { newKey } from '../print-job/new-key.ts'

type TestCallbackContext = CallbackContext & {
  db: Db
  now: () => Date
}

/**
 * POST /callbacks/test: sends a test message to a target of the caller, in the same way as a callback. An addition of
 * ours.
 */
export function sendTestCallback(api: Api, context: TestCallbackContext): void {
  const { db, now } = context
  api.route({
    ...operation,
    handler: async ({ body, caller }, reply) => {
      const faults: FieldFault[] = []
      const planned = planCallback(body.callbackParams, context, faults)
      if (!planned) throw invalidFields(faults)
      const id = newKey()
      const message = renderTestMessage({ messageId: id, at: now(), correlationId: id })
      await insertTestCallback(db, {
        id,
        consumerId: caller.consumerId,
        body: message,
        ...planned,
        retryParams: body.callbackParams.retryParams,
      })
      return reply.code(202).send({ callbackId: id })
    },
  })
}
