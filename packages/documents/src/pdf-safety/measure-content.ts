import { PDFDict, PDFName, type PDFObject, type PDFRawStream } from 'pdf-lib'
import { readOperators } from './content-operators.ts'
import { decodeContent } from './decode-content.ts'
import { type DrawingWork, noWork, tooMuchDrawing } from './drawing-work.ts'
import { createCountSteps } from './function-steps.ts'
import type { PdfLimits } from './pdf-limits.ts'
import { type Place, runOperators } from './run-operators.ts'

export type Measure = {
  /** Returns what the streams of one content demand. Throws UnsafePdf. */
  content(streams: readonly PDFRawStream[], place: Place): DrawingWork
  /** The same for a form. Without resources of its own, it has those of `place`. */
  form(form: PDFRawStream, place: Place): DrawingWork
}

const resourcesKey = PDFName.of('Resources')
const bytesPerMebibyte = 1024 * 1024

/** Measures contents. Each stream is read once with the same resources, however often it is drawn. */
export function createMeasure(limits: PdfLimits): Measure {
  const known = new Map<PDFObject, Map<PDFDict | undefined, DrawingWork>>()
  const open = new Set<PDFObject>()
  const steps = createCountSteps()
  let bytes = 0

  function content(streams: readonly PDFRawStream[], place: Place): DrawingWork {
    const { page, depth } = place
    const { pageOperatorsMax, drawingDepthMax, contentBytesMax } = limits
    if (depth > drawingDepthMax) {
      const excess = `more than ${drawingDepthMax} forms, patterns or glyphs within each other`
      throw tooMuchDrawing(page, excess)
    }
    const work = noWork()
    const run = runOperators(work, place, { form, steps })
    for (const stream of streams) {
      const decoded = decodeContent(stream)
      bytes += decoded.length
      if (bytes > contentBytesMax) {
        throw tooMuchDrawing(page, `more than ${contentBytesMax / bytesPerMebibyte} MiB of content`)
      }
      for (const { name, operands } of readOperators(decoded)) {
        work.operators += 1
        run(name, operands)
        if (work.operators > pageOperatorsMax) return work
      }
    }
    return work
  }

  /** Throws UnsafePdf for a stream that draws itself, because it has no end. */
  function form(stream: PDFRawStream, { resources, ...place }: Place): DrawingWork {
    const own = stream.dict.lookup(resourcesKey)
    const within = { ...place, resources: own instanceof PDFDict ? own : resources }
    const found = known.get(stream)?.get(within.resources)
    if (found) return found
    if (open.has(stream)) {
      throw tooMuchDrawing(place.page, 'a form, pattern or glyph that draws itself')
    }
    open.add(stream)
    const work = content([stream], within)
    open.delete(stream)
    known.set(stream, (known.get(stream) ?? new Map()).set(within.resources, work))
    return work
  }

  return { content, form }
}
