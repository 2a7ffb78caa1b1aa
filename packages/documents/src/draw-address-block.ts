import { a4 } from './a4.ts'
import type { AddressBlock } from './address-block.ts'
import { addressWindow, layOutAddress } from './address-layout.ts'
import { drawText, widthInEm } from './draw-text.ts'
import type { FontSubset } from './font-subset.ts'
import { drawPostalBarcode, makePostalBarcode } from './marks/postal-barcode.ts'

export type PrintableBlock = Omit<Extract<AddressBlock, { kind: 'block' }>, 'kind'>

/** Returns operators that print the block in the envelope's window of an A4 page, with the font named `Address`. */
export function drawAddressBlock(
  { handling, address, deliveryPoint }: PrintableBlock,
  subset: FontSubset,
): string {
  const barcode = deliveryPoint ? makePostalBarcode(deliveryPoint) : undefined
  const { lines, barcode: place } = layOutAddress(
    {
      handling: handling.map(({ text }) => text),
      address: address.map(({ text }) => text),
    },
    (text) => widthInEm(subset, text),
    barcode,
  )
  const { left, top } = addressWindow
  const text = lines.map((line) =>
    drawText(
      { ...line, x: left + line.x, y: a4.height - top - line.y },
      { name: 'Address', subset },
    ),
  )
  const bars =
    barcode && place
      ? drawPostalBarcode(barcode, {
          x: left + place.x,
          y: a4.height - top - place.y - barcode.height,
        })
      : undefined
  return [`BT\n0 g\n${text.join('\n')}\nET`, ...(bars ? [bars] : [])].join('\n')
}
