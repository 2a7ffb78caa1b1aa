import { linkPrefix, type Platform } from './platform.ts'

type Described = {
  kind: string
  params: Readonly<Record<string, string>>
  body: unknown
  url: string
}

/** Returns the print runs that a call concerns. */
export function batchNumbersOf(platform: Platform, call: Described): string[] {
  const { kind, params, body, url } = call
  if (params.batchNumber !== undefined) return [decodeURIComponent(params.batchNumber)]
  if (kind === 'createPosting') return batchNumbersOfPosting(body)
  if (params.postingId !== undefined) {
    const posting = platform.postings.get(params.postingId)
    return posting?.covered.map(({ batchNumber }) => batchNumber) ?? []
  }
  if (params.recallId !== undefined) {
    return [...platform.runs.values()]
      .filter(({ recalls }) => recalls.some(({ recallId }) => recallId === params.recallId))
      .map(({ batchNumber }) => batchNumber)
  }
  if (!url.startsWith(linkPrefix)) return []
  const link = platform.links.get(url.slice(linkPrefix.length).split('/', 1)[0] ?? '')
  return link ? [link.batchNumber] : []
}

/** The body is not validated, so it may have any shape. */
function batchNumbersOfPosting(body: unknown): string[] {
  const { batchNumber, printRuns } = (body ?? {}) as { batchNumber?: unknown; printRuns?: unknown }
  const several = Array.isArray(printRuns) ? printRuns : []
  return [
    batchNumber,
    ...several.map((run: { batchNumber?: unknown } | null) => run?.batchNumber),
  ].filter((each): each is string => typeof each === 'string')
}
