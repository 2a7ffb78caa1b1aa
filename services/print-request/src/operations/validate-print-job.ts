import { validatePrintJob as operation } from '@despatch/contracts/print-request/operations'
import { renderValidation } from '@despatch/contracts/print-request/validation-response'
import type { Api } from '@despatch/http/api'
import { withinLimit } from '@despatch/letters/within-limit'
import { type DryRunContext, makeDryRun, planDryRun } from '../print-job/dry-run.ts'

/**
 * POST /print/jobs/validate: reports how a print job would be judged, and saves no print job. An addition to the
 * specification. The request is parsed and planned like a submission, and the letter passes the same checks as in the
 * pipeline.
 */
export function validatePrintJob(api: Api, context: DryRunContext): void {
  api.route({
    ...operation,
    handler: async (request, reply) => {
      const { consumerId } = request.caller
      const planned = await planDryRun(context, request)
      return withinLimit(context.limits, { consumerId, reply }, 'dry-run', async (signal) =>
        renderValidation((await makeDryRun(context, planned, signal)).validation),
      )
    },
  })
}
