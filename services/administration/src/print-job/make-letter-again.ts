import type { Composers } from '@despatch/composer/composers'
import { printJobActionRefused } from '@despatch/contracts/print-request/problems'
import type { Addressee } from '@despatch/domain/address/addressee'
import { commentOf, commentOfNotes } from '@despatch/domain/preflight/finding'
import { Problem } from '@despatch/domain/problem'
import type { LetterTemplates } from '@despatch/letters/letter-templates'
import { letterToKeep, makeLetter } from '@despatch/letters/make-letter'
import type { WorkLimits } from '@despatch/letters/within-limit'
import type { ObjectStore } from '@despatch/object-store/object-store'
import type { Db } from '@despatch/store/database'
import type { AddressOverride } from '@despatch/store/print-job/override-address'
import type { ProofSource } from '@despatch/store/print-job/proof'
import { commitStored } from '@despatch/store/purge/commit-stored'
import { markObjectsForDeletion } from '@despatch/store/purge/mark-for-deletion'

export type LetterContext = {
  db: Db
  objects: ObjectStore
  limits: WorkLimits
  templates: Pick<LetterTemplates, 'typeset'>
  composers: Pick<Composers, 'makeDocument'>
}

type LetterAgain = {
  override: AddressOverride
  document: ReturnType<typeof letterToKeep>['object']
}

/** Makes a letter for another addressee. Throws a Problem with the finding that refuses the letter. */
export async function makeAgain(
  { objects, templates, composers: { makeDocument } }: LetterContext,
  source: ProofSource,
  addressee: Addressee,
  signal: AbortSignal,
): Promise<LetterAgain> {
  const effects = { objects, templates, makeDocument }
  const again = await makeLetter(effects, source, addressee, { signal })
  const { printableAddress, producedAs, made } = again
  const { findings, document } = made
  if (!document) throw printJobActionRefused(commentOf(findings)!)
  const kept = letterToKeep(printableAddress, document)
  const replacesSha256 = source.document?.sha256 ?? null
  return {
    override: {
      addressee,
      producedAs,
      made: kept.made,
      findings,
      replacesSha256,
      comment: commentOfNotes(findings) ?? null,
    },
    document: kept.object,
  }
}

/**
 * Stores the document, then runs the commit that names it. If the commit is refused with a Problem, the document is
 * marked for deletion.
 */
export async function commitAgain<Result>(
  { db, objects }: LetterContext,
  { override, document: { key, bytes, contentType } }: LetterAgain,
  commit: (override: AddressOverride) => Promise<Result>,
): Promise<Result> {
  const stored = [{ kind: 'document', sha256: override.made.documentSha256 }] as const
  try {
    return await commitStored(db, {
      objects: stored,
      store: () => objects.put(key, bytes, contentType),
      commit: () => commit(override),
    })
  } catch (error) {
    if (error instanceof Problem) await markObjectsForDeletion(db, stored, 'unnamed')
    throw error
  }
}
