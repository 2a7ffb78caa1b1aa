import { PDFDocument } from 'pdf-lib'
import { drawCalendar } from './collection-calendar.ts'
import { a4, council, drawStationery, embedTypefaces } from './stationery.ts'
import { TextColumn } from './text-column.ts'

/** A letter of three pages: what changes, a calendar, questions and answers. */
export async function makeCollectionLetter(): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  document.setTitle('Your new collection days')
  document.setAuthor(council)
  const typefaces = await embedTypefaces(document)
  const columns = [1, 2, 3].map((pageNumber) => {
    const page = document.addPage([a4.width, a4.height])
    return new TextColumn(
      page,
      typefaces,
      drawStationery(page, typefaces, { pageNumber, pageCount: 3 }),
    )
  })
  const [first, second, third] = columns as [TextColumn, TextColumn, TextColumn]
  writeLetter(first)
  second.heading('Your collections, month by month')
  drawCalendar(second)
  writeAnswers(third)
  return document.save()
}

function writeLetter(column: TextColumn): void {
  const { bold, italic } = column.typefaces
  column.line('Our reference: NBC/RW/2047-118', { size: 9 })
  column.y -= 14
  column.paragraph('Dear resident,')
  column.heading('From January your bins are collected on a new day')
  column.paragraph(
    'We have redrawn our rounds so that the same work takes fewer lorries and fewer miles. For most homes the day of collection stays the same. Yours moves from Monday to Thursday.',
  )
  column.paragraph(
    'Nothing else changes: what goes into each bin, the time by which it should stand at the kerb, and the help that some households have from us all stay as they are.',
  )
  column.heading('What to do')
  column.bullet('Put your bins out by 6.30 am on Thursday, beginning with the first of January’s.')
  column.bullet('Keep the calendar overleaf where everybody at home can see it.')
  column.bullet('Tell us by the end of this month if Thursday is difficult for you.')
  column.y -= 6
  column.paragraph(
    'If a crew misses your bin, leave it where it is and let us know: we come back within two working days. Assisted collections move with the round, and you need not apply again.',
  )
  column.paragraph('Yours faithfully,')
  column.y -= 34
  column.page.drawSvgPath(signature, {
    x: 66,
    y: column.y + 44,
    borderColor: column.typefaces && signatureInk,
    borderWidth: 1.5,
  })
  column.paragraph('Philippa Oduya', { font: bold })
  column.paragraph('Head of Recycling and Waste', { font: italic })
}
