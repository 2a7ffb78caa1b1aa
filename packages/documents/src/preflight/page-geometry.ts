import { PDFName, PDFNumber, type PDFPage } from 'pdf-lib'

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
      return { width: Math.abs(across) * scale, height: Math.abs(down) * scale }
    }
    return { paper: asRead(media), shown: asRead(overlap(media, crop)) }
  } catch {
    return undefined
  }
}

type Box = Size & { x: number; y: number }

/** A crop box counts only where there is paper. A crop box outside the paper is ignored. */
function overlap(media: Box, crop: Box): Size {
  const width = Math.min(media.x + media.width, crop.x + crop.width) - Math.max(media.x, crop.x)
  const height = Math.min(media.y + media.height, crop.y + crop.height) - Math.max(media.y, crop.y)
  return width > 0 && height > 0 ? { width, height } : media
}
