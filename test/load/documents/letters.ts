import type { DocumentFile, DocumentRequest } from '@despatch/documents/document-request'
import { drawText } from '@despatch/documents/draw-text'
import { addLetterFont, type LetterFont } from '@despatch/documents/embed-font'
import { PDFDocument, type PDFPage } from 'pdf-lib'
import sharp from 'sharp'

/** A letter as a consumer sends it. `letterOf` makes unique letters from it. */
export type SampleLetter = { name: string; files: readonly DocumentFile[]; pages: number }

const mebibyte = 1024 * 1024
const a4 = { width: 595.28, height: 841.89 }
const lineHeight = 15
const linesOfPage = 42
const sentence = 'The rounds have been redrawn so that the same work takes fewer miles. '
const photo = { width: 1240, height: 1754 }
const smallPhoto = { width: 310, height: 438 }

export const plainLetter: SampleLetter = { name: 'no files', files: [], pages: 1 }

/** Returns the same letters at each call: no files, text, text with photographs, and a photograph. */
export async function makeLetters(): Promise<SampleLetter[]> {
  return [
    plainLetter,
    await makeTextLetter(),
    { name: 'PDF of 2 MiB', files: [pdf(await makePdfOfPhotos())], pages: 5 },
    {
      name: 'JPEG',
      files: [{ fileId: 'photo', mediaType: 'image/jpeg', bytes: await makePhoto(1, 80) }],
      pages: 2,
    },
  ]
}

async function makeTextLetter(): Promise<SampleLetter> {
  return { name: 'PDF of 3 pages', files: [pdf(await makePdf({ pages: 3 }))], pages: 4 }
}

/** Pages of text, one with a small photograph: about 42 KiB. */
export async function makeSmallPdf(pages = 3): Promise<Uint8Array> {
  return makePdf({ pages, photos: [await makePhoto(1, 92, smallPhoto)] })
}

const judgedBeforeMark = 'judged before: '

/** Names a letter whose files are the same in every letter of a load. */
export function judgedBefore(name: string): string {
  return judgedBeforeMark + name
}

export function isJudgedBefore(name: string): boolean {
  return name.startsWith(judgedBeforeMark)
}

/** Returns the letter with files that print the same and have other bytes: a few more after their end. */
export function withOtherFiles({ files, ...letter }: SampleLetter, number: number): SampleLetter {
  const tail = Buffer.from(`\n%${String(number).padStart(9, '0')}`)
  const others = files.map((file) => ({ ...file, bytes: Buffer.concat([file.bytes, tail]) }))
  return { ...letter, files: others }
}

/** Returns a letter with these files. Letters differ in their recipient and their document's id. */
export function letterOf({ files }: SampleLetter, number: number): DocumentRequest {
  return {
    at: new Date('2026-03-04T05:06:07Z'),
    plex: 'duplex',
    pagesMax: 20,
    ruleSet: 'standard-2026-11',
    documentId: `D${100_000 + number}`,
    marks: true,
    files,
    production: 'letter',
    title: 'LETTER',
    addressPlacement: 'own-page',
    printableAddress: {
      recipientLine1: `Ms Rosalind Appleyard ${number}`,
      recipientLine2: '',
      line1: '12 Mill Lane',
      line5: 'SWINDON',
      postcode: 'SN3 4RD',
      dps: '1A',
    },
  }
}

function pdf(bytes: Uint8Array): DocumentFile {
  return { fileId: 'letter', mediaType: 'application/pdf', bytes }
}

/** Uses the lowest quality at which the photographs together exceed 1.9 MiB, so that the PDF has about 2 MiB. */
export async function makePdfOfPhotos(): Promise<Uint8Array> {
  const pages = 4
  let photos: Uint8Array[] = []
  for (let quality = 60; quality <= 100; quality += 4) {
    photos = await Promise.all(
      Array.from({ length: pages }, (_, page) => makePhoto(page + 2, quality)),
    )
    if (photos.reduce((sum, { length }) => sum + length, 0) > 1.9 * mebibyte) break
  }
  return makePdf({ pages, photos })
}

/** Makes pages of text with an embedded font, the first of them with the photographs. */
async function makePdf({
  pages,
  photos = [],
}: {
  pages: number
  photos?: readonly Uint8Array[]
}): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false })
  const font = addLetterFont(document.context, [sentence])
  for (let number = 0; number < pages; number++) {
    const page = document.addPage([a4.width, a4.height])
    const photo = photos[number]
    writeText(page, font, photo ? linesOfPage / 2 : linesOfPage)
    if (!photo) continue
    const image = await document.embedJpg(photo)
    page.drawImage(image, { x: 160, y: 60, width: 275, height: 389 })
  }
  return document.save()
}

function writeText(page: PDFPage, { subset, ref }: LetterFont, lines: number): void {
  const { context } = page.doc
  const operators = Array.from({ length: lines }, (_, line) =>
    drawText(
      {
        text: sentence,
        size: 11,
        x: 70,
        y: a4.height - 70 - line * lineHeight,
        width: a4.width - 140,
      },
      { name: 'Text', subset },
    ),
  )
  page.node.set(context.obj('Resources'), context.obj({ Font: { Text: ref } }))
  page.node.set(
    context.obj('Contents'),
    context.register(context.flateStream(`BT\n0 g\n${operators.join('\n')}\nET`)),
  )
}

/** A4, at 150 dots per inch by default: slow waves with grain, like a scan. */
async function makePhoto(
  seed: number,
  quality: number,
  { width, height } = photo,
): Promise<Uint8Array> {
  const pixels = Buffer.alloc(width * height * 3)
  let noise = seed * 7919
  for (let index = 0; index < width * height; index++) {
    const wave = 60 * Math.sin((index % width) / 90) + 60 * Math.cos(index / width / 130)
    noise = (noise * 1_103_515_245 + 12_345) & 0x7fffffff
    const grain = (noise >> 16) % 14
    for (let channel = 0; channel < 3; channel++) {
      pixels[index * 3 + channel] = 120 + wave / (channel + 1) + grain
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality })
    .toBuffer()
}
