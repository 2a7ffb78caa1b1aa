import type { Rectangle } from '@despatch/domain/preflight/finding'
import type { OpenPage } from './open-pages.ts'

/** In millimetres, as the page is displayed. */
export type PageSize = { width: number; height: number }

type Box = { left: number; right: number; bottom: number; top: number }

/** Positions are rounded to whole micrometres. */
const micrometres = 1000

/**
 * Returns the function that converts PDFium's coordinates to millimetres from the page's top left. PDFium knows the
 * page's rotation and crop; three points determine the conversion.
 */
export function placesOf(page: OpenPage, size: PageSize): (box: Box) => Rectangle {
  const step = 1000
  const origin = placeOf(page, size, 0, 0)
  const alongX = placeOf(page, size, step, 0)
  const alongY = placeOf(page, size, 0, step)
  const place = (x: number, y: number) => ({
    x: origin.x + ((alongX.x - origin.x) * x + (alongY.x - origin.x) * y) / step,
    y: origin.y + ((alongX.y - origin.y) * x + (alongY.y - origin.y) * y) / step,
  })
  return (box) => {
    const one = place(box.left, box.bottom)
    const other = place(box.right, box.top)
    return {
      x: Math.min(one.x, other.x),
      y: Math.min(one.y, other.y),
      width: Math.abs(one.x - other.x),
      height: Math.abs(one.y - other.y),
    }
  }
}

function placeOf({ calls, handle }: OpenPage, size: PageSize, x: number, y: number) {
  const address = calls.wasmExports.malloc(8)
  const width = Math.round(size.width * micrometres)
  const height = Math.round(size.height * micrometres)
  calls._FPDF_PageToDevice(handle, 0, 0, width, height, 0, x, y, address, address + 4)
  const [across = 0, down = 0] = calls.HEAP32.subarray(address / 4, address / 4 + 2)
  calls.wasmExports.free(address)
  return { x: across / micrometres, y: down / micrometres }
}
