import { PDFDocument } from 'pdf-lib'
import { drawCalendar } from './collection-calendar.ts'
import { signatureInk, signaturePath } from './signature.ts'
import { a4, council, drawStationery, embedTypefaces } from './stationery.ts'
import { TextColumn } from './text-column.ts'

/** A letter of three pages: the changes, a calendar, questions and answers. */
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
  column.page.drawSvgPath(signaturePath, {
    x: 66,
    y: column.y + 44,
    borderColor: signatureInk,
    borderWidth: 1.5,
  })
  column.paragraph('Philippa Oduya', { font: bold })
  column.paragraph('Head of Recycling and Waste', { font: italic })
}

function writeAnswers(column: TextColumn): void {
  column.heading('Questions that people ask')
  for (const { question, answer } of answers) {
    column.paragraph(question, { font: column.typefaces.bold })
    column.paragraph(answer)
    column.y -= 4
  }
  column.heading('Talk to us')
  column.line('Telephone   01632 960 118, Monday to Friday, 8 am to 6 pm')
  column.line('Post             Recycling and Waste, The Old Exchange, 4 Quay Street, Northmere')
}

const answers = [
  {
    question: 'Why is my day changing and my neighbour’s is not?',
    answer:
      'Rounds follow the roads that a lorry can take without turning back. Where two rounds meet, one side of a street may belong to the other day.',
  },
  {
    question: 'What happens in the week of the change?',
    answer:
      'We come twice: on your old day for everything that has gathered, and on Thursday for whatever is left. You may put out up to four extra sacks.',
  },
  {
    question: 'I cannot move my bins on Wednesday evenings. What can I do?',
    answer:
      'Call us. Where nobody in a household can bring the bins to the kerb, our crew fetches them from where they stand and puts them back.',
  },
  {
    question: 'Can I have this letter in large print or in another language?',
    answer:
      'Yes. Tell us which, and we send it within five working days. Large print comes on A4 in 18 point.',
  },
] as const
