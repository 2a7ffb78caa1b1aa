import { PDFName, PDFNumber, type PDFPageLeaf } from 'pdf-lib'
import { drawOver } from './draw-over.ts'

type Box = { x: number; y: number; width: number; height: number }

const keys = { UserUnit: PDFName.of('UserUnit') }
/** Every box of a page that a press may take for its paper. */
const boxes = ['MediaBox', 'CropBox', 'BleedBox', 'TrimBox', 'ArtBox'].map((key) => PDFName.of(key))

/**
 * Makes the paper of a page what its crop box shows, in points. Presses differ in which box they print, and many ignore
 * the unit of a page. Returns false and leaves the page unchanged if its content must be scaled and cannot be read.
 */
export function fitPaper(page: PDFPageLeaf): boolean {
  const unit = page.lookupMaybe(keys.UserUnit, PDFNumber)?.asNumber() ?? 1
  const media = page.MediaBox().asRectangle()
  const shown = shownBox(media, page.CropBox()?.asRectangle() ?? media)
  const isWhole = (Object.keys(media) as (keyof Box)[]).every((key) => media[key] === shown[key])
  if (unit === 1 && isWhole) return true
  if (unit !== 1 && !drawOver(page, { scale: unit })) return false
  const { x, y, width, height } = shown
  const paper = page.context.obj([x, y, x + width, y + height].map((length) => length * unit))
  for (const key of boxes) page.set(key, paper)
  page.delete(keys.UserUnit)
  return true
}

/** Returns the printed part of a page: its crop box, limited to the paper. A crop box outside the paper is ignored. */
export function shownBox(paper: Box, cropped: Box): Box {
  const [media, crop] = [upright(paper), upright(cropped)]
  const x = Math.max(media.x, crop.x)
  const y = Math.max(media.y, crop.y)
  const width = Math.min(media.x + media.width, crop.x + crop.width) - x
  const height = Math.min(media.y + media.height, crop.y + crop.height) - y
  return width > 0 && height > 0 ? { x, y, width, height } : media
}

/** A box may state its corners in any order. */
function upright({ x, y, width, height }: Box): Box {
  return {
    x: Math.min(x, x + width),
    y: Math.min(y, y + height),
    width: Math.abs(width),
    height: Math.abs(height),
  }
}
