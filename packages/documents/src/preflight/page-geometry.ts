import { PDFName, PDFNumber, type PDFPage } from 'pdf-lib'
import { shownBox } from '../as-printed/fit-paper.ts'

export type Size = { width: number; height: number }

/** A page as it is read, in millimetres, with its rotation applied. `shown` is the part within its crop box. */
export type PageGeometry = { paper: Size; shown: Size }

const millimetresInPoint = 25.4 / 72

/** Returns undefined if the page does not state its size. */
export function geometryOf(page: PDFPage): PageGeometry | undefined {
  try {
    const media = page.getMediaBox()
    const crop = page.getCropBox()
    const unit = page.node.lookupMaybe(PDFName.of('UserUnit'), PDFNumber)?.asNumber() ?? 1
    const isTurned = Math.trunc(page.getRotation().angle / 90) % 2 !== 0
    const asRead = ({ width, height }: Size): Size => {
      const [across, down] = isTurned ? [height, width] : [width, height]
      const scale = unit * millimetresInPoint
      return { width: across * scale, height: down * scale }
    }
    return { paper: asRead(shownBox(media, media)), shown: asRead(shownBox(media, crop)) }
  } catch {
    return undefined
  }
}
