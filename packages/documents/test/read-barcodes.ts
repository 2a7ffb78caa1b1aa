import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'
import type { PagePicture } from './page-picture.ts'

const wasm = createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm')
prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(readFileSync(wasm)).buffer } })

/** Returns the content of the Data Matrix symbols in a picture. */
export async function readDataMatrix({ width, height, grey }: PagePicture): Promise<string[]> {
  const data = new Uint8ClampedArray(width * height * 4)
  for (const [index, value] of grey.entries()) data.fill(value, index * 4, index * 4 + 4)
  for (let index = 3; index < data.length; index += 4) data[index] = 255
  const image = { width, height, data } as unknown as Parameters<typeof readBarcodes>[0]
  const found = await readBarcodes(image, { formats: ['DataMatrix'], tryInvert: false })
  return found.filter(({ isValid }) => isValid).map(({ text }) => text)
}

/** A bar in a picture, in pixels. */
export type Bar = { left: number; right: number; top: number; bottom: number }

/** Returns the bars in a picture that shows nothing else. */
export function findBars({ width, height, grey }: PagePicture): Bar[] {
  const isInk = (x: number, y: number) => x < width && grey[y * width + x]! < 128
  const inkOf = (x: number) =>
    Array.from({ length: height }, (_, y) => y).filter((y) => isInk(x, y))

  const bars: Bar[] = []
  for (let x = 0; x < width; x++) {
    const ink = inkOf(x)
    if (ink.length === 0) continue
    const [top, bottom] = [ink[0]!, ink.at(-1)! + 1]
    const last = bars.at(-1)
    if (last && last.right === x) {
      last.right = x + 1
      last.top = Math.min(last.top, top)
      last.bottom = Math.max(last.bottom, bottom)
    } else {
      bars.push({ left: x, right: x + 1, top, bottom })
    }
  }
  return bars
}

const characters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'
/** Half a character is four bars, with 1 for a long one. The patterns stand for 1 to 6. */
const halves = ['0011', '0101', '0110', '1001', '1010', '1100']

/**
 * Returns the content of an RM4SCC barcode, check character included. Written from the published table, independently
 * of the code that draws it. Throws if start, stop, a character or the check character is wrong.
 */
export function readPostalBars(bars: readonly Bar[]): string {
  const top = Math.min(...bars.map((bar) => bar.top))
  const bottom = Math.max(...bars.map((bar) => bar.bottom))
  const reach = (bottom - top) / 5
  const states = bars.map((bar) => ({
    up: bar.top < top + reach ? 1 : 0,
    down: bar.bottom > bottom - reach ? 1 : 0,
  }))
  const [start, stop] = [states[0]!, states.at(-1)!]
  if (!start.up || start.down || !stop.up || !stop.down) throw new Error('no start or stop bar')

  const values = Array.from({ length: (states.length - 2) / 4 }, (_, index) => {
    const four = states.slice(1 + index * 4, 5 + index * 4)
    const row = halves.indexOf(four.map(({ up }) => up).join(''))
    const column = halves.indexOf(four.map(({ down }) => down).join(''))
    if (row < 0 || column < 0) throw new Error(`no character at ${index + 1}`)
    return { row, column }
  })
  const check = values.at(-1)!
  const sum = (part: 'row' | 'column') =>
    values.slice(0, -1).reduce((total, value) => total + value[part] + 1, 0)
  const isChecked = (part: 'row' | 'column') => (sum(part) + 5) % 6 === check[part]
  if (!isChecked('row') || !isChecked('column')) throw new Error('the check character is wrong')
  return values.map(({ row, column }) => characters[row * 6 + column]).join('')
}
