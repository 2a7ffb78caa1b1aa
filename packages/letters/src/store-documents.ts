import { inTime } from '@despatch/object-store/in-time'
import { documentKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db, Tx } from '@despatch/store/database'
import {
  deleteUnstoredDocuments,
  lockDocumentsOfRun,
  lockDueDocuments,
  type UnstoredDocument,
} from '@despatch/store/print-job/unstored-documents'
import { transact } from '@despatch/store/transact'

export type StoreDocumentsContext = { db: Db; objects: Pick<ObjectStore, 'put'> }

const documentsTogetherMax = 64
const atOnceMax = 8
/**
 * The rows are locked meanwhile, and PostgreSQL ends a transaction that has been idle for 10 s. So documents are begun
 * for 2 s at most, and each has 7 s.
 */
const beginMsMax = 2_000
const putMsMax = 7_000

/** Stores documents that are due, in the object store. Returns 'again' if there may be more. */
export async function storeDueDocuments(context: StoreDocumentsContext): Promise<'again' | 'idle'> {
  const { isMore } = await store(context, (tx) => lockDueDocuments(tx, documentsTogetherMax))
  return isMore ? 'again' : 'idle'
}

/**
 * Stores the documents of a print run that are not in the object store yet: the factory reads them from there. Returns
 * once all are stored.
 */
export async function storeDocumentsOfRun(
  context: StoreDocumentsContext,
  batchNumber: string,
): Promise<void> {
  let isMore = true
  while (isMore) {
    const lock = (tx: Tx) => lockDocumentsOfRun(tx, batchNumber, documentsTogetherMax)
    isMore = (await store(context, lock)).isMore
  }
}

/**
 * The rows are locked until their bytes are stored. The removal of a document that nobody uses any longer waits for
 * that, so it also finds the stored bytes.
 */
async function store(
  { db, objects }: StoreDocumentsContext,
  lock: (tx: Tx) => Promise<UnstoredDocument[]>,
): Promise<{ isMore: boolean }> {
  return transact(db, async (tx) => {
    const documents = await lock(tx)
    const stopAt = performance.now() + beginMsMax
    const stored: string[] = []
    const waiting = documents.values()
    const storeNext = async () => {
      for (const { sha256, pdf } of waiting) {
        const put = () => objects.put(documentKey(sha256), pdf, 'application/pdf')
        await inTime(putMsMax, undefined, put)
        stored.push(sha256)
        if (performance.now() > stopAt) return
      }
    }
    await Promise.all(Array.from({ length: atOnceMax }, storeNext))
    await deleteUnstoredDocuments(tx, stored)
    return { isMore: stored.length < documents.length || documents.length === documentsTogetherMax }
  })
}
