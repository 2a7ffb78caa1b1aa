import type { Finding } from '@despatch/domain/preflight/finding'
import type { RuleId } from '@despatch/domain/preflight/rules'
import { PDFDict, type PDFObject, PDFRawStream } from 'pdf-lib'
import { type Feature, featuresOf, featuresOfStream, partsOf } from './features.ts'

/**
 * Returns what print does not allow in any of these objects and the dictionaries and arrays inside them. One finding
 * for each rule and page, at most `findingsMax`, in the order of the pages, and findings without a page first.
 */
export function findFeatures(
  objects: Iterable<PDFObject>,
  {
    pageOf,
    findingsMax,
  }: { pageOf: (object: PDFObject) => number | undefined; findingsMax: number },
): Finding[] {
  const found = new Map<string, { feature: Feature; page: number | undefined }>()
  for (const object of objects) {
    const page = pageOf(object)
    for (const feature of featuresWithin(object)) {
      const key = `${feature.rule} ${page}`
      if (!found.has(key)) found.set(key, { feature, page })
    }
  }
  return [...found.values()]
    .sort((one, other) => (one.page ?? 0) - (other.page ?? 0))
    .slice(0, findingsMax)
    .map(({ feature: { rule, what }, page }) => refusal(rule, what, page))
}

function* featuresWithin(object: PDFObject): Generator<Feature> {
  const pending: PDFObject[] = [object]
  for (let part = pending.pop(); part; part = pending.pop()) {
    if (part instanceof PDFDict) yield* featuresOf(part)
    if (part instanceof PDFRawStream) yield* featuresOfStream(part)
    for (const each of partsOf(part).toReversed()) pending.push(each)
  }
}

function refusal(rule: RuleId, what: string, page: number | undefined): Finding {
  return page === undefined
    ? { rule, severity: 'refusal', detail: `The PDF has ${what}.` }
    : { rule, severity: 'refusal', page, detail: `Page ${page} of the PDF has ${what}.` }
}
