import { exportEvidence as operation } from '@despatch/contracts/administration/letter-operations'
import type { Api } from '@despatch/http/api'
import { shownAs } from '@despatch/letters/draw-letter'
import type { ObjectStore } from '@despatch/object-store/object-store'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { findConsumer } from '@despatch/store/access/consumers'
import type { Db } from '@despatch/store/database'
import { actorOf } from '../actor-of.ts'
import { findContents } from '../evidence/evidence-files.ts'
import { gatherEvidence } from '../evidence/gather-evidence.ts'
import { zipEvidence } from '../evidence/zip-evidence.ts'

/** Nothing goes through a connection for so long: whoever it belongs to has gone. */
const stalledMs = 120_000

/** GET /print-jobs/{printJobKey}/evidence.zip: everything that is known of a print job, read while it is sent. */
export function exportEvidence(
  api: Api,
  { db, objects, now }: { db: Db; objects: ObjectStore; now: () => Date },
): void {
  api.route({
    ...operation,
    // an answer to HEAD would tell of an export that nobody had
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
        ...shownAs('application/zip'),
        'content-disposition': `attachment; filename="evidence-${printJobKey}.zip"`,
        'content-length': String(bytes),
      })
      // a stream is sent as it stands
      return reply.send(stream as never)
    },
  })
}
