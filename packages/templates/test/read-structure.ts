import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { PDFiumModule } from '@hyzyla/pdfium'
import {
  PDFArray,
  PDFDict,
  PDFDocument,
  PDFHexString,
  PDFName,
  PDFNumber,
  type PDFObject,
  PDFRef,
  PDFString,
} from 'pdf-lib'

/** An element of the structure tree. `lang` and `alt` are its own, `text` what it and the elements below print. */
export type Element = {
  kind: string
  lang?: string
  alt?: string
  text: string
  below: readonly Element[]
}

/** What a screen reader gets of a PDF: its title, its language, and its structure in reading order. */
export type Structure = {
  title?: string | undefined
  lang?: string
  elements: readonly Element[]
  /** What is printed and not read, such as the number of each page. */
  artifacts: readonly string[]
}

export async function readStructure(pdf: Uint8Array): Promise<Structure> {
  const document = await PDFDocument.load(pdf)
  const texts = await textsOf(pdf)
  const pages = document.getPages().map(({ ref }) => ref)
  const { catalog, context } = document

  const read = (kid: PDFObject | undefined, page: number): Element[] => {
    const object = context.lookup(kid)
    if (object instanceof PDFArray) return object.asArray().flatMap((each) => read(each, page))
    if (object instanceof PDFNumber) return [printed(page, object.asNumber())]
    if (!(object instanceof PDFDict)) return []
    const ownPage = object.get(PDFName.of('Pg'))
    const onPage = ownPage instanceof PDFRef ? pages.indexOf(ownPage) : page
    const mcid = object.lookup(PDFName.of('MCID'))
    if (mcid instanceof PDFNumber) return [printed(onPage, mcid.asNumber())]
    const kind = object.lookup(PDFName.of('S'))
    const below = read(object.get(PDFName.of('K')), onPage)
    if (!(kind instanceof PDFName)) return []
    const lang = textIn(object, 'Lang')
    const alt = textIn(object, 'Alt')
    return [
      {
        kind: kind.decodeText(),
        ...(lang && { lang }),
        ...(alt && { alt }),
        text: below.map(({ text }) => text).join(''),
        below: below.filter((each) => each.kind !== ''),
      },
    ]
  }
  const printed = (page: number, mcid: number): Element => ({
    kind: '',
    text: texts[page]?.get(mcid) ?? '',
    below: [],
  })

  const root = catalog.lookup(PDFName.of('StructTreeRoot'), PDFDict)
  const lang = textIn(catalog, 'Lang')
  return {
    title: document.getTitle(),
    ...(lang && { lang }),
    elements: read(root.get(PDFName.of('K')), -1),
    artifacts: texts.map((page) => page.get(-1) ?? ''),
  }
}

/** Returns the elements of some kinds, in reading order, however deep they are. */
export function elementsOf(elements: readonly Element[], kinds: RegExp): Element[] {
  return elements.flatMap((element) => [
    ...(kinds.test(element.kind) ? [element] : []),
    ...elementsOf(element.below, kinds),
  ])
}

function textIn(dictionary: PDFDict, name: string): string | undefined {
  const value = dictionary.lookup(PDFName.of(name))
  return value instanceof PDFString || value instanceof PDFHexString
    ? value.decodeText()
    : undefined
}

/** The part of PDFium's interface that is called here. */
type Calls = {
  _FPDF_InitLibrary(): void
  _FPDF_LoadMemDocument(address: number, bytes: number, password: number): number
  _FPDF_GetPageCount(document: number): number
  _FPDF_LoadPage(document: number, index: number): number
  _FPDFText_LoadPage(page: number): number
  _FPDFPage_CountObjects(page: number): number
  _FPDFPage_GetObject(page: number, index: number): number
  _FPDFPageObj_GetType(object: number): number
  _FPDFPageObj_GetMarkedContentID(object: number): number
  _FPDFTextObj_GetText(object: number, page: number, address: number, bytes: number): number
  _malloc(bytes: number): number
  HEAPU8: Uint8Array
}

const textType = 1
const textBytesMax = 10_000
const wasm = createRequire(import.meta.url).resolve('@hyzyla/pdfium/pdfium.wasm')

/** The texts of each page by the ids of their marked content. */
async function textsOf(pdf: Uint8Array): Promise<Map<number, string>[]> {
  const wasmBinary = new Uint8Array(readFileSync(wasm)).buffer
  const calls = (await PDFiumModule({ wasmBinary } as never)) as unknown as Calls
  calls._FPDF_InitLibrary()
  const address = calls._malloc(pdf.length)
  calls.HEAPU8.set(pdf, address)
  const document = calls._FPDF_LoadMemDocument(address, pdf.length, 0)
  const buffer = calls._malloc(textBytesMax)
  return Array.from({ length: calls._FPDF_GetPageCount(document) }, (_, index) => {
    const page = calls._FPDF_LoadPage(document, index)
    const textPage = calls._FPDFText_LoadPage(page)
    const texts = new Map<number, string>()
    for (let at = 0; at < calls._FPDFPage_CountObjects(page); at += 1) {
      const object = calls._FPDFPage_GetObject(page, at)
      if (calls._FPDFPageObj_GetType(object) !== textType) continue
      const bytes = calls._FPDFTextObj_GetText(object, textPage, buffer, textBytesMax)
      const text = Buffer.from(calls.HEAPU8.slice(buffer, buffer + Math.max(0, bytes - 2)))
      const id = calls._FPDFPageObj_GetMarkedContentID(object)
      texts.set(id, (texts.get(id) ?? '') + text.toString('utf16le'))
    }
    return texts
  })
}
