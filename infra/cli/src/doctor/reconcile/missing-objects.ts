import { createHash } from 'node:crypto'
import { pipeline } from 'node:stream/promises'
import { documentKey, fileKey, uploadKey } from '@despatch/object-store/keys'
import type { ObjectStore } from '@despatch/object-store/object-store'
import {
  listNamedObjects,
  listNeedingLetters,
  listUnpinnedUploads,
  type ObjectKind,
} from './named-objects.ts'
import { remedyOfObject, remedyOfUpload } from './object-remedy.ts'
import { pageMax, type Reconciliation, type ReconciliationItem } from './reconciliation.ts'

const atOnceMax = 8

const places = [
  { kind: 'file', prefix: 'files/', keyOf: fileKey },
  { kind: 'document', prefix: 'documents/', keyOf: documentKey },
] as const

type Place = { kind: ObjectKind; prefix: string; keyOf: (sha256: string) => string }
type Trouble = 'missing' | 'altered'

/**
 * Finds letters whose files or documents are not in the bucket, or whose bytes do not match their name. Reads both
 * sides in the order of their hashes, one page at a time, so memory use does not grow.
 */
export async function* listMissingObjects(
  reconciliation: Reconciliation,
): AsyncGenerator<ReconciliationItem> {
  for (const place of places) yield* findIn(place, reconciliation)
  yield* findUploads(reconciliation)
}

async function* findIn(
  place: Place,
  { db, objects, readObjects }: Reconciliation,
): AsyncGenerator<ReconciliationItem> {
  const bucket = keysOf(objects, place.prefix)
  let key = await bucket.next()
  for (let after = ''; ; ) {
    const named = await listNamedObjects(db, place.kind, { after, limit: pageMax })
    const absent: string[] = []
    for (const sha256 of named) {
      const wanted = place.keyOf(sha256)
      while (!key.done && key.value < wanted) key = await bucket.next()
      if (key.done || key.value !== wanted) absent.push(sha256)
    }
    const troubles = new Map<string, Trouble>()
    // An object that was stored after its page of the bucket was listed is not missing.
    for (const sha256 of await select(
      absent,
      async (each) => !(await objects.head(place.keyOf(each))),
    ))
      troubles.set(sha256, 'missing')
    if (readObjects) {
      const present = named.filter((sha256) => !troubles.has(sha256))
      const isAltered = async (sha256: string) =>
        !(await hasBytesOfName(objects, place.keyOf(sha256), sha256))
      for (const sha256 of await select(present, isAltered)) troubles.set(sha256, 'altered')
    }
    for (const [sha256, trouble] of troubles) yield* describeMissing({ db, place, sha256, trouble })
    if (named.length < pageMax) return
    after = named.at(-1)!
  }
}

/** Intake has seen each of these uploads, so a missing one was lost. */
async function* findUploads({ db, objects }: Reconciliation): AsyncGenerator<ReconciliationItem> {
  for (let after: string | undefined; ; ) {
    const uploads = await listUnpinnedUploads(db, { after, limit: pageMax })
    const isAbsent = async ({ uploadId }: (typeof uploads)[number]) =>
      !(await objects.head(uploadKey(uploadId)))
    for (const { uploadId, isParked, ...letter } of await select(uploads, isAbsent)) {
      yield {
        severity: 'missing',
        kind: 'upload-missing',
        about: { ...letter, object: uploadKey(uploadId) },
        found: 'the upload is not in the bucket',
        remedy: remedyOfUpload({ isParked, printJobKey: letter.printJobKey }),
      }
    }
    if (uploads.length < pageMax) return
    after = uploads.at(-1)!.uploadId
  }
}

async function* keysOf(objects: ObjectStore, prefix: string): AsyncGenerator<string> {
  for (let after: string | undefined; ; ) {
    const keys = await objects.list(prefix, { keysMax: pageMax, ...(after && { after }) })
    yield* keys
    if (keys.length < pageMax) return
    after = keys.at(-1)
  }
}

async function* describeMissing({
  db,
  place: { kind, keyOf },
  sha256,
  trouble,
}: {
  db: Reconciliation['db']
  place: Place
  sha256: string
  trouble: Trouble
}): AsyncGenerator<ReconciliationItem> {
  for (let after: string | undefined; ; ) {
    const letters = await listNeedingLetters(db, { kind, sha256 }, { after, limit: pageMax })
    for (const { printJobKey, printJobId, consumer, status, isParked } of letters) {
      yield {
        severity: 'missing',
        kind: `${kind}-${trouble}`,
        about: { printJobKey, printJobId, consumer, status, object: keyOf(sha256) },
        found:
          trouble === 'missing'
            ? `the ${kind} is not in the bucket`
            : `the bytes of the object of the ${kind} do not match its name`,
        remedy: remedyOfObject({ kind, status, isParked, printJobKey }),
      }
    }
    if (letters.length < pageMax) return
    after = letters.at(-1)!.printJobKey
  }
}

/** Returns the values for which `ask` resolves to true. Asks for several at once. */
async function select<T>(values: readonly T[], ask: (value: T) => Promise<boolean>): Promise<T[]> {
  const chosen: T[] = []
  for (let from = 0; from < values.length; from += atOnceMax) {
    const together = values.slice(from, from + atOnceMax)
    const answers = await Promise.all(together.map(ask))
    chosen.push(...together.filter((_, index) => answers[index]))
  }
  return chosen
}

/** Returns whether the bytes of an object have the hash in its name. Returns false if the object no longer exists. */
async function hasBytesOfName(
  objects: Pick<ObjectStore, 'getStream'>,
  key: string,
  sha256: string,
): Promise<boolean> {
  const found = await objects.getStream(key)
  if (!found) return false
  const hash = createHash('sha256')
  await pipeline(found.stream, hash)
  return hash.digest('hex') === sha256
}
