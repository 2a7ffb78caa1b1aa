import { PDFDocument, rgb, StandardFonts } from 'pdf-lib'
import sharp from 'sharp'

/** A page with the council's head. On a page with an address, the text begins below the window of an envelope. */
type Page = { heading: string; text: string; address?: readonly string[] }

const a4 = { width: 595.28, height: 841.89 } as const
const margin = 62
/** Printers cannot print closer to the edge: 6 mm. */
const edge = 17
const bandHeight = 78
const lineHeight = 15.5
/** Where an envelope's window begins, and where it has ended, in points from the bottom. */
const window = { top: 722, below: 590 }
const accent = rgb(0.05, 0.36, 0.36)
const council = 'Northmere Borough Council'
const invented = 'A letter made for a demonstration: council, people and places are invented.'

/** Makes a letter of three pages. */
export function makeCollectionLetter(): Promise<Uint8Array> {
  return makePdf('Your new collection days', [
    {
      heading: 'From January your bins are collected on a new day',
      text: `Our reference: NBC/RW/2047-118

Dear resident,

We have redrawn our rounds so that the same work takes fewer lorries and fewer miles. For most homes the day of collection stays the same. Yours moves from Monday to Thursday.

Nothing else changes: what goes into each bin, the time by which it should stand at the kerb, and the help that some households have from us all stay as they are. If a crew misses your bin, leave it where it is and let us know: we come back within two working days.

Yours faithfully,

Philippa Oduya
Head of Recycling and Waste`,
    },
    {
      heading: 'Your collections, month by month',
      text: `Every date is a Thursday. Bins stand at the kerb by 6.30 am.

January: household 7 and 21, paper and card 14 and 28
February: household 4 and 18, paper and card 11 and 25
March: household 4 and 18, paper and card 11 and 25, garden 18
April: household 1, 15 and 29, paper and card 8 and 22, garden 1, 15 and 29
May: household 13 and 27, paper and card 6 and 20, garden 13 and 27
June: household 10 and 24, paper and card 3 and 17, garden 10 and 24`,
    },
    {
      heading: 'Questions that people ask',
      text: `Why is my day changing and my neighbour’s is not?
Rounds follow the roads that a lorry can take without turning back. Where two rounds meet, one side of a street may belong to the other day.

What happens in the week of the change?
We come twice: on your old day for everything that has gathered, and on Thursday for whatever is left.

Talk to us
Telephone 01632 960 118, Monday to Friday, 8 am to 6 pm`,
    },
  ])
}

/** Makes a letter of two pages that contains its own address in the window, to be printed as supplied. */
export function makeSuppliedLetter(address: readonly string[]): Promise<Uint8Array> {
  return makePdf('A refund of your parking permit', [
    {
      address,
      heading: 'A refund of your parking permit',
      text: `Dear permit holder,

You told us that you have moved away and returned your permit with seven months left to run. We refund whole months, less the cost of administration, to the account that paid. The calculation is on the next page. There is nothing that you need to do.

Yours faithfully,

Parking Services`,
    },
    {
      heading: 'How the refund is made up',
      text: `Permit for twelve months: £96.00
Seven whole months returned, at £8.00: £56.00
Administration: – £10.00
Refund: £46.00`,
    },
  ])
}

async function makePdf(title: string, pages: readonly Page[]): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  document.setTitle(title)
  document.setAuthor(council)
  const regular = await document.embedFont(StandardFonts.Helvetica)
  const bold = await document.embedFont(StandardFonts.HelveticaBold)
  for (const [index, { heading, text, address = [] }] of pages.entries()) {
    const page = document.addPage([a4.width, a4.height])
    const { width, height } = page.getSize()
    const band = { width: width - 2 * edge, height: bandHeight - edge, color: accent }
    page.drawRectangle({ x: edge, y: height - bandHeight, ...band })
    const head = { x: margin, y: height - 56, size: 19, font: bold, color: rgb(1, 1, 1) }
    page.drawText(council, head)
    const foot = { x: margin, y: 38, size: 8, font: regular }
    page.drawText(`Page ${index + 1} of ${pages.length}. ${invented}`, foot)
    const lines = { x: margin + 12, y: window.top, size: 10, font: regular, lineHeight }
    page.drawText(address.join('\n'), lines)
    const top = address.length > 0 ? window.below : height - bandHeight - 46
    page.drawText(heading, { x: margin, y: top, size: 13.5, font: bold, color: accent })
    const body = { maxWidth: width - 2 * margin, size: 10.5, font: regular, lineHeight }
    page.drawText(text, { x: margin, y: top - 2 * lineHeight, ...body })
  }
  return document.save()
}

/** Makes a PNG: a map of the way to the recycling centre. It has no lettering, because a machine may have no fonts. */
export function makeMapPicture(): Promise<Uint8Array> {
  const way =
    'M 60 575 C 300 540 560 640 660 590 C 690 470 610 330 640 310 C 800 260 960 330 1040 190'
  const map = `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="1000" fill="none">
    <rect width="1200" height="1000" fill="#eef3ee"/>
    <path d="M 0 780 C 260 690 420 860 700 800 S 1080 660 1200 720 V 1000 H 0 Z" fill="#bcdcea"/>
    <path d="M 60 90 h 330 v 250 h -330 z" fill="#d3e8d3"/>
    <path d="M -20 560 C 300 520 560 640 1220 470 M 640 -20 C 600 260 690 420 640 590" stroke="#ffffff" stroke-width="50"/>
    <path d="${way}" stroke="#c2413b" stroke-width="12" stroke-dasharray="2 26" stroke-linecap="round"/>
    <path d="M 1050 190 c -70 -80 -52 -150 0 -150 s 70 70 0 150 z" fill="#0d5c5c"/>
  </svg>`
  return sharp(Buffer.from(map)).png({ palette: true, colours: 64 }).toBuffer()
}

/** Makes a TIFF: the scan of a form that was ticked and signed, in greys at 150 dots per inch. */
export function makeScannedForm(): Promise<Uint8Array> {
  const field = (y: number) =>
    `<path d="M 130 ${y} h 216" stroke="#4a4a4a" stroke-width="9"/><path d="M 130 ${y + 82} h 980" stroke="#8a8a8a" stroke-width="2"/>`
  const form = `<svg xmlns="http://www.w3.org/2000/svg" width="1240" height="1754" fill="none">
    <rect width="1240" height="1754" fill="#f7f6f2"/>
    <path d="M 130 135 h 560" stroke="#2e2e2e" stroke-width="30"/>
    ${[294, 424, 554, 684].map(field).join('')}
    <path d="M 130 850 h 42 v 42 h -42 z M 134 866 l 16 26 l 40 -62" stroke="#24304f" stroke-width="5"/>
    <path d="M 130 1580 h 520 M 180 1560 c 20 -80 60 -90 50 -30 c -6 40 40 -60 70 -20 s 30 20 60 -10 s 40 40 90 0" stroke="#24304f" stroke-width="4"/>
  </svg>`
  return sharp(Buffer.from(form))
    .rotate(-0.7, { background: '#f7f6f2' })
    .resize(1240, 1754, { fit: 'cover' })
    .greyscale()
    .withMetadata({ density: 150 })
    .tiff({ compression: 'lzw', predictor: 'horizontal' })
    .toBuffer()
}
