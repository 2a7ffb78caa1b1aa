import { inTime } from '@despatch/object-store/in-time'
import { documentKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import { transact } from '@despatch/postgres/transact'
import type { Db, Tx } from '@despatch/store/database'
import {
  deleteUnstoredDocuments,
  lockDocumentsOfRun,
  lockDueDocuments,
  type UnstoredDocument,
} from '@despatch/store/print-job/unstored-documents'

export type StoreDocumentsContext = { db: Db; objects: Pick<ObjectStore, 'put'> }

const documentsTogetherMax = 64
const atOnceMax = 8
/**
 * The rows are locked meanwhile, and PostgreSQL ends a transaction that has been idle for 10 s. So documents are begun
 * for 2 s at most, and the request of each is ended after 7 s.
 */
const beginMsMax = 2_000
const putMsMax = 7_000

/**
 * Stores documents that are due, in the object store. Returns 'again' if there may be more, unless letters wait: they
 * need the processor more.
 */
export async function storeDueDocuments(context: StoreDocumentsContext): Promise<'again' | 'idle'> {
  const { documents, stored } = await store(context, (tx) =>
    lockDueDocuments(tx, documentsTogetherMax),
  )
  const isMore = stored < documents.length || documents.length === documentsTogetherMax
  return isMore && !documents[0]!.doLettersWait ? 'again' : 'idle'
}

/**
 * Stores the documents of a print run that are not in the object store yet: the factory reads them from there. Returns
 * false if some may be left after `msMax`, in milliseconds.
 */
export async function storeDocumentsOfRun(
  context: StoreDocumentsContext,
  batchNumber: string,
  msMax: number,
): Promise<boolean> {
  const stopAt = performance.now() + msMax
  for (let after = ''; performance.now() < stopAt; ) {
    const page = { after, limit: documentsTogetherMax }
    const { documents, stored } = await store(context, (tx) =>
      lockDocumentsOfRun(tx, batchNumber, page),
    )
    const isWhole = stored === documents.length
    if (isWhole && documents.length < documentsTogetherMax) return true
    // the next page also has the documents that this one began too late
    if (isWhole) after = documents.at(-1)!.documentId
  }
  return false
}

/**
 * The rows are locked until their bytes are stored. The removal of a document that nobody uses any longer waits for
 * that, so it also finds the stored bytes. If documents cannot be stored, the others are stored nevertheless, and the
 * first error is thrown.
 */
async function store<Locked extends UnstoredDocument>(
  { db, objects }: StoreDocumentsContext,
  lock: (tx: Tx) => Promise<Locked[]>,
): Promise<{ documents: Locked[]; stored: number }> {
  const errors: unknown[] = []
  const ended = await transact(db, async (tx) => {
    const documents = await lock(tx)
    const stopAt = performance.now() + beginMsMax
    const stored: string[] = []
    const waiting = documents.values()
    const storeNext = async () => {
      for (const { sha256, pdf } of waiting) {
        const put = (signal: AbortSignal) =>
          objects.put(documentKey(sha256), pdf, 'application/pdf', { signal })
        await inTime(putMsMax, undefined, put).then(
          () => stored.push(sha256),
          (error: unknown) => errors.push(error),
        )
        // each further document of an object store that is away would take its whole time
        if (errors.length > 0 || performance.now() > stopAt) return
      }
    }
    await Promise.all(Array.from({ length: atOnceMax }, storeNext))
    await deleteUnstoredDocuments(tx, stored)
    return { documents, stored: stored.length }
  })
  if (errors.length > 0) throw errors[0]
  return ended
}
