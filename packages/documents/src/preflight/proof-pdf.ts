import { type Finding, isRefused } from '@despatch/domain/preflight/finding'
import type { RuleSet } from '@despatch/domain/preflight/rule-set'
import { PDFDocument, PDFName, type PDFRef, PDFString } from 'pdf-lib'
import sharp from 'sharp'
import { points } from '../a4.ts'
import { embedFont } from '../embed-font.ts'
import type { Picture } from '../render/render-page.ts'
import { savePdf } from '../save-pdf.ts'
import { type Block, findingBlock, textBlock } from './list-shapes.ts'
import type { Size } from './page-geometry.ts'
import { operatorsOf } from './pdf-shapes.ts'
import { moved, type Shape } from './proof-shapes.ts'
import { openProof, type ProofSource } from './proof-source.ts'
import { proofFont } from './proof-text.ts'
import { keyShapes } from './zone-shapes.ts'

const dotsPerInch = 130
const a4: Size = { width: 210, height: 297 }
const margin = 20
const jpegQuality = 82

/**
 * Returns a letter's proof as a PDF: first the findings, then each page of the sources with its zones and findings, in
 * its real size. Pages are pictures, so the proof contains nothing of an untrusted file except what it shows. A source
 * that cannot be shown is replaced by a page that says so. Equal arguments return equal bytes. Pages after `pagesMax`
 * are counted but not shown.
 */
export async function proofPdf({
  sources,
  findings,
  ruleSet,
  pagesMax = 60,
}: {
  sources: readonly ProofSource[]
  findings: readonly Finding[]
  ruleSet: RuleSet
  pagesMax?: number
}): Promise<Uint8Array> {
  const document = await PDFDocument.create({ updateMetadata: false })
  const { context } = document
  context.trailerInfo.Info = context.register(
    context.obj({ Title: PDFString.of('Proof'), Producer: PDFString.of('Despatch') }),
  )
  const proof: Proof = { document, font: embedFont(context, proofFont()) }
  addList(proof, findings, ruleSet)
  let room = pagesMax
  for (const source of sources) room -= await addSource(proof, source, { findings, ruleSet, room })
  return savePdf(document)
}

type Proof = { document: PDFDocument; font: PDFRef }

function addList(proof: Proof, findings: readonly Finding[], { id }: RuleSet): void {
  const width = a4.width - 2 * margin
  const refusals = findings.filter(({ severity }) => severity === 'refusal').length
  const verdict = isRefused(findings)
    ? `Refused: ${refusals} ${refusals === 1 ? 'finding' : 'findings'} by the rules of ${id}.`
    : `Not refused by the rules of ${id}.`
  addBlocks(proof, [
    { ...textBlock('Proof', { width, scale: 2 }), height: 12 },
    {
      ...textBlock(`${verdict} Positions are in millimetres from the top left of the page.`, {
        width,
      }),
    },
    { shapes: moved(keyShapes(), { x: 0, y: 4 }), height: 14 },
    ...findings.map((finding) => findingBlock(finding, width)),
  ])
}

/** One block below the other, on as many pages as required. */
function addBlocks(proof: Proof, blocks: readonly Block[]): void {
  let shapes: Shape[] = []
  let y = margin
  for (const block of blocks) {
    if (y + block.height > a4.height - margin) {
      addPage(proof, a4, shapes)
      shapes = []
      y = margin
    }
    shapes.push(...moved(block.shapes, { x: margin, y }))
    y += block.height
  }
  addPage(proof, a4, shapes)
}

/** Adds pages up to the limit and returns how many were added. */
async function addSource(
  proof: Proof,
  source: ProofSource,
  { room, ...terms }: { findings: readonly Finding[]; ruleSet: RuleSet; room: number },
): Promise<number> {
  const name = source.fileId === undefined ? 'The letter' : `File ${source.fileId}`
  using pages = await openProof(source, { ...terms, dotsPerInch })
  if (!pages) {
    const found = terms.findings.filter(({ fileId }) => fileId === source.fileId)
    addText(proof, `${name} has no page that can be shown.`, found)
    return 0
  }
  const shown = Math.min(pages.count, Math.max(0, room))
  for (let page = 1; page <= shown; page++) {
    const view = pages.view(page)
    if (view) addPage(proof, view.size, view.shapes, await addPicture(proof, view.picture))
    else addText(proof, `${name}: page ${page} cannot be shown.`)
  }
  if (shown < pages.count) addText(proof, `${name} has ${pages.count - shown} more pages.`)
  return shown
}

function addText(proof: Proof, text: string, findings: readonly Finding[] = []): void {
  const width = a4.width - 2 * margin
  const sentence = textBlock(text, { width })
  addBlocks(proof, [
    { ...sentence, height: sentence.height + 4 },
    ...findings.map((finding) => findingBlock(finding, width)),
  ])
}

async function addPicture({ document }: Proof, { width, height, pixels }: Picture) {
  const jpeg = await sharp(pixels, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .jpeg({ quality: jpegQuality, chromaSubsampling: '4:4:4' })
    .toBuffer()
  const { context } = document
  return context.register(
    context.stream(jpeg, {
      Type: 'XObject',
      Subtype: 'Image',
      Width: width,
      Height: height,
      ColorSpace: 'DeviceRGB',
      BitsPerComponent: 8,
      Filter: 'DCTDecode',
    }),
  )
}

function addPage(
  { document, font }: Proof,
  size: Size,
  shapes: readonly Shape[],
  picture?: PDFRef,
): void {
  const { context } = document
  const [width, height] = [points(size.width), points(size.height)]
  const page = document.addPage([width, height])
  page.node.set(
    PDFName.of('Resources'),
    context.obj({ Font: { Proof: font }, ...(picture && { XObject: { Page: picture } }) }),
  )
  const drawPicture = picture ? `q ${width} 0 0 ${height} 0 0 cm /Page Do Q\n` : ''
  const content = `${drawPicture}${operatorsOf(shapes, size)}`
  page.node.set(PDFName.of('Contents'), context.register(context.flateStream(content)))
}
