import type { Capabilities } from './capabilities.ts'
import { canPrint } from './routing.ts'
import type { PrintStream } from './stream.ts'

type SiteTerms = { enabled: boolean; share: number; capabilities: Capabilities }
type StreamVolume = PrintStream & { documents: number }

/**
 * Returns how many of the documents each site gets, in the order of the sites, and how many no site can take. Documents
 * of a stream go to the sites that can print them, in proportion to their shares, as routing distributes many of them.
 * Daily limits, maintenance and absence are not considered.
 */
export function expectWork(
  sites: readonly SiteTerms[],
  volumes: readonly StreamVolume[],
): { documents: number[]; unroutable: number } {
  const documents = sites.map(() => 0)
  let unroutable = 0
  for (const volume of volumes) {
    const shares = sites.map((site) => shareOf(site, volume))
    const sum = shares.reduce((total, share) => total + share, 0)
    if (sum === 0) unroutable += volume.documents
    else
      shares.forEach((share, index) => {
        documents[index]! += (volume.documents * share) / sum
      })
  }
  return { documents, unroutable }
}

function shareOf({ enabled, share, capabilities }: SiteTerms, stream: PrintStream): number {
  return enabled && canPrint(capabilities, { ...stream, sheets: 1 }) ? share : 0
}
