import { describe, expect, test } from 'vitest'
import { composedPdf } from '../../test/letters.ts'
import { pagePicture } from '../../test/page-picture.ts'
import { findBars, readPostalBars } from '../../test/read-barcodes.ts'
import { makePostalBarcode } from './postal-barcode.ts'

const asTopDown = (deliveryPoint: string) =>
  makePostalBarcode(deliveryPoint).bars.map(({ x, y, width, height }) => ({
    left: x,
    right: x + width,
    top: -(y + height),
    bottom: -y,
  }))

test.each([
  ['BX11LT1A', 'I'],
  ['SN34RD1A', 'K'],
  ['LE28HS9Z', '9'],
])('the bars of %s encode it with the published check character %s', (deliveryPoint, check) => {
  expect(readPostalBars(asTopDown(deliveryPoint))).toBe(`${deliveryPoint}${check}`)
})

test('bars have the published sizes, in millimetres', () => {
  const { bars, width, height } = makePostalBarcode('SN34RD1A')
  const millimetres = (points: number) => (points * 25.4) / 72
  const shortest = Math.min(...bars.map((bar) => bar.height))
  const pitch = bars[1]!.x - bars[0]!.x
  const within = (value: number, min: number, max: number) => value >= min && value <= max

  expect(bars).toHaveLength(38)
  expect({
    pitch: within(72 / pitch, 20, 24),
    bar: within(millimetres(bars[0]!.width), 0.38, 0.63),
    tracker: within(millimetres(shortest), 1.02, 1.52),
    ascender: within(millimetres((height - shortest) / 2), 1.6, 2.16),
    width: within(millimetres(width), 35.98, 68.58),
    isEven: bars.every((bar, index) => Math.abs(bar.x - index * pitch) < 1e-9),
  }).toEqual({ pitch: true, bar: true, tracker: true, ascender: true, width: true, isEven: true })
})

describe('the barcode of a printed letter', () => {
  const pixelsPerInch = 600
  const address = { recipientLine1: 'Ms Ann Other', recipientLine2: '', line1: '27 ACACIA AVENUE' }
  const read = async (
    part: { x: number; y: number; width: number; height: number },
    change: Parameters<typeof composedPdf>[0],
  ) => {
    const picture = await pagePicture(await composedPdf(change), 1, { pixelsPerInch, part })
    return readPostalBars(findBars(picture))
  }

  test('is read below the address', async () => {
    const printableAddress = { ...address, line5: 'TOWN', postcode: 'LE2 8HS', dps: '9Z' }
    const part = { x: 24.6, y: 58, width: 95.4, height: 8.3 }
    expect(await read(part, { printableAddress })).toBe('LE28HS9Z9')
  })

  test('is read beside an address of seven lines', async () => {
    const rest = { line2: 'LOWMOOR', line3: 'STOKE', line4: 'WICK', line5: 'TOWN' }
    const printableAddress = { ...address, ...rest, postcode: 'SN3 4RD', dps: '1A' }
    const part = { x: 70, y: 39.5, width: 50, height: 26.8 }
    expect(await read(part, { printableAddress })).toBe('SN34RD1AK')
  })

  test('has a margin of two blank millimetres to the left and below', async () => {
    const printableAddress = { ...address, line5: 'TOWN', postcode: 'SN3 4RD', dps: '1A' }
    const part = { x: 24.6, y: 60, width: 95.4, height: 6.3 }
    const pdf = await composedPdf({ printableAddress })
    const picture = await pagePicture(pdf, 1, { pixelsPerInch, part })
    const bars = findBars(picture)

    const millimetres = (pixels: number) => (pixels * 25.4) / pixelsPerInch
    const lowest = Math.max(...bars.map(({ bottom }) => bottom))
    expect(bars).toHaveLength(38)
    expect(millimetres(bars[0]!.left)).toBeGreaterThan(1.95)
    expect(millimetres(picture.height - lowest)).toBeGreaterThan(1.95)
  })

  test('is absent without marks', async () => {
    const part = { x: 70, y: 39.5, width: 50, height: 26.8 }
    const pdf = await composedPdf({ marks: false })
    expect(findBars(await pagePicture(pdf, 1, { pixelsPerInch, part }))).toEqual([])
  })
})
