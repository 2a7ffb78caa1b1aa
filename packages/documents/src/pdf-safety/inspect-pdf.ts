import type { Finding } from '@despatch/domain/preflight/finding'
import {
  EncryptedPDFError,
  ParseSpeeds,
  PDFDocument,
  type PDFObject,
  PDFObjectParser,
  type PDFPageLeaf,
} from 'pdf-lib'
import { checkDrawing } from './check-drawing.ts'
import { checkStreams } from './check-streams.ts'
import { withDirectLengths } from './direct-lengths.ts'
import { findFeatures } from './find-features.ts'
import { readPageTree } from './page-tree.ts'
import { findPagesOfObjects } from './pages-of-objects.ts'
import { type PdfLimits, pdfLimits } from './pdf-limits.ts'
import { type ObjectText, scanFile } from './scan-file.ts'
import { typeNodes } from './type-nodes.ts'
import { damaged, encrypted, tooComplex, UnsafePdf } from './unsafe-pdf.ts'

/** `pages` is 0 if they could not be counted. */
export type PdfInspection = {
  findings: Finding[]
  pages: number
  /** Whether the file has objects that later ones replace: readers differ in which of them they use. */
  isRevised?: boolean
  /** Present if nothing refuses the PDF. */
  document?: PDFDocument
}

/** Readers look for the end mark in this many bytes at the end. */
const endMarkBytesMax = 1024

/**
 * Checks whether a PDF is safe to open and print (rules P201 to P210). It must be complete, readable without repair,
 * not encrypted, have a page, start nothing, contain no other files, and stay within the limits. Every object is
 * checked, including those that later ones replace, because readers differ in which of them they use. What cannot be
 * read is refused. Never throws.
 */
export async function inspectPdf(
  bytes: Uint8Array,
  limits: PdfLimits = pdfLimits,
): Promise<PdfInspection> {
  let pages: PDFPageLeaf[] = []
  const findings: Finding[] = []
  try {
    const { document, replaced } = await openWithin(bytes, limits)
    pages = readPageTree(document, limits)
    if (pages.length === 0) throw noPages()

    const objects = [...everyObject(document), ...readReplaced(document, replaced)]
    const found = findPagesOfObjects(pages)
    findings.push(
      ...findFeatures(objects, {
        pageOf: (object) => found.get(object),
        findingsMax: limits.findingsMax,
      }),
    )
    await checkStreams(objects, limits)
    if (findings.length === 0) checkDrawing(pages, limits)
    const isRevised = replaced.length > 0
    if (findings.length === 0) return { findings, pages: pages.length, isRevised, document }
  } catch (error) {
    findings.push(findingOf(bytes, error))
  }
  return { findings, pages: pages.length }
}

async function openWithin(
  bytes: Uint8Array,
  limits: PdfLimits,
): Promise<{ document: PDFDocument; replaced: ObjectText[] }> {
  const { fileBytesMax } = limits
  if (bytes.length > fileBytesMax) {
    throw tooComplex(`more than ${fileBytesMax} bytes`, {
      unit: 'bytes',
      value: bytes.length,
      max: fileBytesMax,
    })
  }
  if (!hasEndMark(bytes)) throw damaged('The PDF is not complete.')
  const readable = withDirectLengths(bytes)
  const { replaced, objects } = scanFile(readable, limits)
  const document = await load(readable)
  // If pdf-lib read other objects than the scan did, the scan has proved nothing.
  if (document.context.enumerateIndirectObjects().length !== objects) throw damaged()
  return { document, replaced }
}

/** Opens a PDF that was inspected. */
export function loadPdf(bytes: Uint8Array): Promise<PDFDocument> {
  return load(withDirectLengths(bytes))
}

async function load(bytes: Uint8Array): Promise<PDFDocument> {
  const document = await PDFDocument.load(bytes, {
    throwOnInvalidObject: true,
    updateMetadata: false,
    parseSpeed: ParseSpeeds.Fastest,
  })
  typeNodes(document)
  return document
}

/** The trailer may contain whole dictionaries too. */
function everyObject({ context }: PDFDocument): PDFObject[] {
  const { Root, Info, ID, Encrypt } = context.trailerInfo
  const trailer = [Root, Info, ID, Encrypt].filter((value) => value !== undefined)
  return [...trailer, ...context.enumerateIndirectObjects().map(([, object]) => object)]
}

function readReplaced({ context }: PDFDocument, replaced: readonly ObjectText[]): PDFObject[] {
  return replaced.map(({ bytes, from, to }) =>
    PDFObjectParser.forBytes(bytes.subarray(from, to), context).parseObject(),
  )
}

function findingOf(bytes: Uint8Array, error: unknown): Finding {
  if (error instanceof UnsafePdf) {
    // Encrypted object streams are reported as damage before the encryption itself is found.
    return error.finding.rule === 'pdf-damaged' && saysEncrypted(bytes)
      ? encrypted().finding
      : error.finding
  }
  return (error instanceof EncryptedPDFError ? encrypted() : damaged()).finding
}

function saysEncrypted(bytes: Uint8Array): boolean {
  return asBuffer(bytes).includes('/Encrypt')
}

function noPages(): UnsafePdf {
  return new UnsafePdf({
    rule: 'pdf-no-pages',
    severity: 'refusal',
    detail: 'The PDF has no pages.',
  })
}

function hasEndMark(bytes: Uint8Array): boolean {
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === 0) end -= 1
  return asBuffer(bytes.subarray(Math.max(0, end - endMarkBytesMax), end)).includes('%%EOF')
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
