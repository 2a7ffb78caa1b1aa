import { enter, type Semaphore, SemaphoreFull } from '@despatch/composer/semaphore'
import { exportEvidence as operation } from '@despatch/contracts/administration/letter-operations'
import type { Caller } from '@despatch/domain/access/caller'
import { Problem } from '@despatch/domain/problem'
import type { Api } from '@despatch/http/api'
import { inlineHeaders } from '@despatch/letters/draw-letter'
import type { ObjectStore } from '@despatch/object-store/object-store'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import { findConsumer } from '@despatch/store/access/consumers'
import type { Db } from '@despatch/store/database'
import { findContents } from '../evidence/evidence-files.ts'
import { gatherEvidence } from '../evidence/gather-evidence.ts'
import { zipEvidence } from '../evidence/zip-evidence.ts'
import { actorOf } from '../operator/access.ts'

/** A connection that transfers nothing for this time is closed. */
const stalledMs = 120_000
const retryAfterSeconds = 5

type ExportEvidenceContext = {
  db: Db
  objects: ObjectStore
  /** Limits how many exports are sent at the same time. Its slots have no slices. */
  exportSemaphore: Semaphore
  now: () => Date
}

/**
 * GET /print-jobs/{printJobKey}/evidence.zip: returns everything that is stored about a print job, read while it is
 * sent.
 */
export function exportEvidence(api: Api, context: ExportEvidenceContext): void {
  const { db, objects, exportSemaphore, now } = context
  api.route({
    ...operation,
    // HEAD would record an export that no caller received
    exposeHeadRoute: false,
    handler: async ({ params: { printJobKey }, caller, log }, reply) => {
      const leave = await enterFor(caller.consumerId, reply)
      try {
        const { stream, bytes } = await zipFor({ printJobKey, caller })
        stream.on('close', leave)
        stream.on('error', (error) => {
          if (!reply.raw.destroyed) log.error({ err: error, printJobKey }, 'evidence.broke-off')
        })
        reply.raw.on('close', () => stream.destroy())
        if (reply.raw.closed) stream.destroy()
        reply.raw.setTimeout(stalledMs, () => stream.destroy(new Error('The connection stalled')))
        reply.headers({
          ...inlineHeaders('application/zip'),
          'content-disposition': `attachment; filename="evidence-${printJobKey}.zip"`,
          'content-length': String(bytes),
        })
        // Fastify sends a stream without serialising it
        return reply.send(stream as never)
      } catch (error) {
        leave()
        throw error
      }
    },
  })

  async function zipFor({ printJobKey, caller }: { printJobKey: string; caller: Caller }) {
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
    return zipEvidence(objects, evidence, contents, {
      exportedBy: operator?.userName ?? caller.consumerId,
      exportedAt: now(),
    })
  }

  async function enterFor(
    consumerId: string,
    reply: { header(name: string, value: string): unknown },
  ): Promise<() => void> {
    try {
      return await enter(exportSemaphore, { consumerId, work: 'evidence' })
    } catch (error) {
      if (!(error instanceof SemaphoreFull)) throw error
      reply.header('retry-after', String(retryAfterSeconds))
      throw new Problem('unavailable', 'Too much evidence is being exported at present')
    }
  }
}
