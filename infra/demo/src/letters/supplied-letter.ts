import { PDFDocument } from 'pdf-lib'
import { a4, council, drawStationery, embedTypefaces } from './stationery.ts'
import { TextColumn } from './text-column.ts'

/** Where an envelope's window begins, in points from the bottom. */
const windowTop = 722

/** A letter of two pages that contains its own address in the window, to be printed as supplied. */
export async function makeSuppliedLetter(
  addressLines: readonly string[],
  { secondPage = 'portrait' }: { secondPage?: 'portrait' | 'landscape' } = {},
): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  document.setTitle('A refund of your parking permit')
  document.setAuthor(council)
  const typefaces = await embedTypefaces(document)
  const sizes: [number, number][] = [
    [a4.width, a4.height],
    secondPage === 'portrait' ? [a4.width, a4.height] : [a4.height, a4.width],
  ]
  const [first, second] = sizes.map((size, index) => {
    const page = document.addPage(size)
    const top = drawStationery(page, typefaces, { pageNumber: index + 1, pageCount: 2 })
    return new TextColumn(page, typefaces, top)
  }) as [TextColumn, TextColumn]

  first.y = windowTop
  for (const line of addressLines) first.line(line, { x: 12, size: 10 })
  first.y = 590
  first.paragraph('Dear permit holder,')
  first.heading('A refund of your parking permit')
  first.paragraph(
    'You told us that you have moved away and returned your permit with seven months left to run. We refund whole months, less the cost of administration, to the account that paid.',
  )
  first.paragraph(
    'The calculation is on the next page. There is nothing that you need to do: the refund arrives within ten working days of the date of this letter.',
  )
  first.paragraph('Yours faithfully,')
  first.paragraph('Parking Services', { font: typefaces.bold })

  second.heading('How the refund is made up')
  for (const [item, amount] of calculation) {
    second.line(item)
    second.y += 15.5
    second.line(amount, { x: 330 })
  }
  return document.save()
}

const calculation = [
  ['Permit for twelve months', '£96.00'],
  ['Seven whole months returned, at £8.00', '£56.00'],
  ['Administration', '– £10.00'],
  ['Refund', '£46.00'],
] as const
