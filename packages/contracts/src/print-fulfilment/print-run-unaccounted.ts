import { Problem } from '@despatch/domain/problem'

/** How the interfaces of providers and operators render the problem. */
export const printRunUnaccountedWire = {
  status: 409,
  code: 'DocumentsUnaccounted',
  title: 'Documents are unaccounted for',
} as const

/** A print run cannot be closed yet. `documents` are the first of the missing ones. */
export function printRunUnaccounted<Document extends { documentId: string }>(
  batchNumber: string,
  { missing, documents }: { missing: number; documents: readonly Document[] },
  describe: (document: Document) => string,
): Problem {
  return new Problem(
    'print-run-unaccounted',
    `${missing} documents of print run ${batchNumber} are missing`,
    documents.map((document) => ({
      field: document.documentId,
      code: printRunUnaccountedWire.code,
      detail: describe(document),
    })),
  )
}
