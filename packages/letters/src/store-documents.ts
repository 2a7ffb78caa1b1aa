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

/** Stores documents that are due, in the object store. Returns 'again' if there may be more. */
export async function storeDueDocuments(context: StoreDocumentsContext): Promise<'again' | 'idle'> {
  const stored = await store(context, (tx) => lockDueDocuments(tx, documentsTogetherMax))
  return stored < documentsTogetherMax ? 'idle' : 'again'
}

/**
 * Stores the documents of a print run that are not in the object store yet: the factory reads them from there. Returns
 * once all are stored.
 */
export async function storeDocumentsOfRun(
  context: StoreDocumentsContext,
  batchNumber: string,
): Promise<void> {
  let stored: number
  do {
    stored = await store(context, (tx) => lockDocumentsOfRun(tx, batchNumber, documentsTogetherMax))
  } while (stored === documentsTogetherMax)
}

/**
 * The rows are locked until their bytes are stored. The removal of a document that nobody uses any longer waits for
 * that, so it also finds the stored bytes.
 */
async function store(
  { db, objects }: StoreDocumentsContext,
  lock: (tx: Tx) => Promise<UnstoredDocument[]>,
): Promise<number> {
  return transact(db, async (tx) => {
    const documents = await lock(tx)
    const waiting = documents.values()
    const storeNext = async () => {
      for (const { sha256, pdf } of waiting) {
        await objects.put(documentKey(sha256), pdf, 'application/pdf')
      }
    }
    await Promise.all(Array.from({ length: atOnceMax }, storeNext))
    await deleteUnstoredDocuments(
      tx,
      documents.map(({ sha256 }) => sha256),
    )
    return documents.length
  })
}
