import { hash } from 'node:crypto'
import type { Finding } from '@despatch/domain/preflight/finding'
import type { RuleId } from '@despatch/domain/preflight/rules'
import { LRUCache } from 'lru-cache'

/** What was found in a file. `pages` is present if nothing refuses it. */
export type Found = {
  findings: readonly Finding[]
  pages?: number
  /** Whether a PDF has objects that later ones replace. */
  isRevised?: boolean
}

/** Findings and files that a thread remembers. */
const rememberedMax = 50_000

const known = new LRUCache<string, Found>({
  maxSize: rememberedMax,
  sizeCalculation: ({ findings }) => 1 + findings.length,
})

/** Returns the SHA-256 of a file, by which its findings are remembered. */
export function hashOf(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'base64')
}

/** Rules of which a finding may come from a momentary lack of memory, and may not be found again. */
const passing: ReadonlySet<RuleId> = new Set([
  'file-time',
  'pdf-too-complex',
  'pdf-damaged',
  'image-damaged',
])

/** A noncharacter, which stands for the id of the file in findings that are remembered. */
const anyFile = '\u{fdd0}'

/**
 * Returns the findings of a file. Finds them once in this thread for equal keys, so `find` must depend on the key
 * alone, which contains the hash of the file. `find` names the file that is passed to it.
 */
export async function findOnce(
  key: readonly (string | boolean)[],
  fileId: string,
  find: (fileId: string) => Promise<Found>,
): Promise<Found> {
  const joined = key.join(' ')
  let found = known.get(joined)
  if (!found) {
    found = await find(anyFile)
    if (!found.findings.some(({ rule }) => passing.has(rule))) known.set(joined, found)
  }
  const { findings, ...more } = found
  return { ...more, findings: findings.map((finding) => nameFile(finding, fileId)) }
}

function nameFile({ detail, ...finding }: Finding, fileId: string): Finding {
  return {
    ...finding,
    ...('fileId' in finding && { fileId }),
    detail: detail.replaceAll(anyFile, () => fileId),
  }
}
