import { transact } from '@despatch/postgres/transact'
import { insertAuditEvent } from '@despatch/store/access/audit-events'
import type { Database, Tx } from '@despatch/store/database'
import { prepareAndPublish } from '@despatch/store/record-set/publish'
import { getRecordSet } from '@despatch/store/record-set/record-sets'
import { finishPublishing } from '@despatch/store/record-set/transitions'
import type { Logger } from '@despatch/telemetry/logger'

export type RecordSetPublisher = {
  /**
   * Publishes a set in PUBLISHING in the background, unless another process does. Resolves once publishing has started,
   * or once it is certain that it will not start here.
   */
  publish(setId: number, actor: string): Promise<void>
  /** Interrupts publishing. It can be started again. */
  close(): Promise<void>
}

type Effects = Pick<Database, 'db' | 'pool'> & { log: Logger }

export function createRecordSetPublisher({ db, pool, log }: Effects): RecordSetPublisher {
  const stopping = new AbortController()
  const underWay = new Map<number, Promise<void>>()

  async function publish(setId: number, actor: string, onBegun: () => void): Promise<void> {
    const startedAt = performance.now()
    const finish = (recordCount: number) =>
      transact(db, (tx) => switchOver(tx, { setId, recordCount, actor }))
    try {
      const signal = stopping.signal
      if (!(await prepareAndPublish(pool, { setId, onBegun, finish, signal }))) return
      const durationMs = Math.round(performance.now() - startedAt)
      log.info({ recordSetId: setId, durationMs }, 'record-set.published')
    } catch (err) {
      // The set stays in PUBLISHING. Callers see that no process is publishing it.
      log.error({ recordSetId: setId, err }, 'record-set.publish-failed')
    }
  }

  return {
    async publish(setId, actor) {
      if (underWay.has(setId) || stopping.signal.aborted) return
      const { promise: begun, resolve: onBegun } = Promise.withResolvers<void>()
      const ended = publish(setId, actor, onBegun).finally(() => {
        underWay.delete(setId)
        onBegun()
      })
      underWay.set(setId, ended)
      await begun
    },
    async close() {
      stopping.abort()
      await Promise.all(underWay.values())
    },
  }
}

type Switch = { setId: number; recordCount: number; actor: string }

async function switchOver(tx: Tx, { setId, recordCount, actor }: Switch): Promise<void> {
  const { kind: outcome } = await finishPublishing(tx, { id: setId, recordCount })
  if (outcome !== 'moved') return
  const { kind, mode, rowsRead, rowsRejected } = await getRecordSet(tx, setId)
  const recordSetId = String(setId)
  await insertAuditEvent(tx, {
    actor,
    action: 'record-set.published',
    detail: { recordSetId, kind, mode, rowsRead, rowsRejected, recordCount },
  })
}
