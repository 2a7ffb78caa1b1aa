import { exportEvidence as operation } from '@despatch/contracts/administration/letter-operations'
import type { Api } from '@despatch/http/api'
import { inlineHeaders } from '@despatch/letters/draw-letter'
import type { ObjectStore } from '@despatch/object-store/object-store'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { findConsumer } from '@despatch/store/access/consumers'
import type { Db } from '@despatch/store/database'
import { findContents } from '../evidence/evidence-files.ts'
import { gatherEvidence } from '../evidence/gather-evidence.ts'
import { zipEvidence } from '../evidence/zip-evidence.ts'
import { actorOf } from '../operator/actor-of.ts'

/** A connection that transfers nothing for this time is closed. */
const stalledMs = 120_000

/**
 * GET /print-jobs/{printJobKey}/evidence.zip: returns everything that is stored about a print job, read while it is
 * sent.
 */
export function exportEvidence(
  api: Api,
  { db, objects, now }: { db: Db; objects: ObjectStore; now: () => Date },
): void {
  api.route({
    ...operation,
    // HEAD would record an export that no caller received
    exposeHeadRoute: false,
    handler: async ({ params: { printJobKey }, caller, log }, reply) => {
      const evidence = await gatherEvidence(db, printJobKey)
      const contents = await findContents(objects, evidence)
      const { consumerId, id: printJobId } = evidence.printJob
      await insertAuditEvent(db, {
        actor: actorOf(caller),
        action: 'print-job.evidence-exported',
        consumerId,
        detail: { printJobKey, printJobId },
      })
      const operator = await findConsumer(db, caller.consumerId)
      const { stream, bytes } = zipEvidence(objects, evidence, contents, {
        exportedBy: operator?.userName ?? caller.consumerId,
        exportedAt: now(),
      })
      stream.on('error', (error) => {
        if (!reply.raw.destroyed) log.error({ err: error, printJobKey }, 'evidence.broke-off')
      })
      reply.raw.setTimeout(stalledMs, () => stream.destroy(new Error('The connection stalled')))
      reply.headers({
        ...inlineHeaders('application/zip'),
        'content-disposition': `attachment; filename="evidence-${printJobKey}.zip"`,
        'content-length': String(bytes),
      })
      // Fastify sends a stream without serialising it
      return reply.send(stream as never)
    },
  })
}
