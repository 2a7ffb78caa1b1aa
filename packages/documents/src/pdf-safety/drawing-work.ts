import type { Unit } from '@despatch/domain/preflight/finding'
import type { PdfLimits } from './pdf-limits.ts'
import { UnsafePdf } from './unsafe-pdf.ts'

/** What drawing a content demands, with everything that it draws in turn, as often as it draws it. */
export type DrawingWork = {
  operators: number
  /** Transparency groups and soft masks, each painted into a picture of its own. */
  groups: number
  /** Clips other than rectangles. */
  clips: number
  dashes: number
  /** Cells of tiling patterns. */
  tiles: number
  /** Pixels of images. */
  pixels: number
  /** Area of the rectangles that enclose the filled paths, in pages of A4. In a form, in the units of the form. */
  area: number
  /** Steps of functions that calculate colours. */
  steps: number
}

const kinds = {
  operators: { limit: 'pageOperatorsMax', unit: 'objects', says: 'operators' },
  groups: { limit: 'pageGroupsMax', unit: 'objects', says: 'transparency groups and soft masks' },
  clips: { limit: 'pageClipsMax', unit: 'objects', says: 'clipping paths' },
  dashes: { limit: 'pageDashesMax', unit: 'objects', says: 'dashes' },
  tiles: { limit: 'pageTilesMax', unit: 'objects', says: 'cells of tiling patterns' },
  pixels: { limit: 'pagePixelsMax', unit: 'pixels', says: 'pixels of images' },
  area: { limit: 'pageAreaMax', unit: 'pages', says: 'pages filled over each other' },
  steps: {
    limit: 'pageStepsMax',
    unit: 'objects',
    says: 'steps of functions that calculate colours',
  },
} as const satisfies Record<keyof DrawingWork, { limit: keyof PdfLimits; unit: Unit; says: string }>
const names = Object.keys(kinds) as (keyof DrawingWork)[]

export function noWork(): DrawingWork {
  return { operators: 0, groups: 0, clips: 0, dashes: 0, tiles: 0, pixels: 0, area: 0, steps: 0 }
}

/** Adds work to the sum, once for each time that it is drawn. */
export function addWork(sum: DrawingWork, work: Partial<DrawingWork>, times = 1): void {
  for (const name of names) {
    const more = work[name]
    if (more) sum[name] += more * times
  }
}

/** Returns the greatest of each number. */
export function greatestOf(works: readonly DrawingWork[]): DrawingWork {
  const greatest = noWork()
  for (const work of works) {
    for (const name of names) greatest[name] = Math.max(greatest[name], work[name])
  }
  return greatest
}

/** Throws UnsafePdf for the first limit that the work of a page exceeds. */
export function checkWork(work: DrawingWork, page: number, limits: PdfLimits): void {
  for (const name of names) {
    const { limit, unit, says } = kinds[name]
    const [value, max] = [Math.ceil(work[name]), limits[limit]]
    if (value > max) throw tooMuchDrawing(page, `more than ${max} ${says}`, { unit, value, max })
  }
}

/** Returns the error for drawing beyond a limit. `what` completes "Page 1 of the PDF has …". */
export function tooMuchDrawing(
  page: number,
  what: string,
  numbers?: { unit: Unit; value: number; max: number },
): UnsafePdf {
  const isExact = numbers && Number.isSafeInteger(numbers.value)
  return new UnsafePdf({
    rule: 'pdf-drawing',
    severity: 'refusal',
    page,
    ...(isExact && { measured: { unit: numbers.unit, value: numbers.value } }),
    ...(numbers && { allowed: { unit: numbers.unit, max: numbers.max } }),
    detail: `Page ${page} of the PDF has ${what}.`,
  })
}
