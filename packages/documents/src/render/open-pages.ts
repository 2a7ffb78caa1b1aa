import { type Engine, type PdfiumCalls, startPdfium } from './pdfium.ts'

/** Why a file or a page cannot be rendered. */
export type Unreadable = { kind: 'unreadable'; why: 'damaged' | 'encrypted' | 'too-complex' }

/** A PDF that is open in the renderer. Disposing it frees its memory. */
export type OpenPages = Disposable & {
  kind: 'open'
  count: number
  /**
   * Runs `look` on a page, from 1, without its annotations and fields. What `look` returns must not depend on PDFium's
   * memory.
   */
  look<T>(page: number, look: (page: OpenPage) => T): { kind: 'seen'; seen: T } | Unreadable
}

export type OpenPage = { calls: PdfiumCalls; handle: number }

/** Thrown while a page is examined if it turns out that it cannot be rendered. PDFium itself stays usable. */
export class PageFault extends Error {
  readonly why: Unreadable['why']

  constructor(why: Unreadable['why'], message: string) {
    super(message)
    this.why = why
  }
}

const passwordError = 4
const securityError = 5
const notEncrypted = -1

/** Opens a PDF to examine its pages. Never throws because of the file's content. */
export async function openPages(pdf: Uint8Array): Promise<OpenPages | Unreadable> {
  const engine = await startPdfium()
  engine.memoryRefused = false
  const opened = guard(engine, () => load(engine.calls, pdf))
  if (opened.kind === 'unreadable') return opened
  if (typeof opened.seen === 'string') return { kind: 'unreadable', why: opened.seen }

  const { document, count, close } = opened.seen
  return {
    kind: 'open',
    count,
    look: (page, look) => guard(engine, () => withPage(engine.calls, document, page, look)),
    [Symbol.dispose]: () => {
      guard(engine, close)
    },
  }
}

/** Any failure within PDFium is attributed to the file, and the instance is not used again. */
function guard<T>(engine: Engine, run: () => T): { kind: 'seen'; seen: T } | Unreadable {
  if (engine.spoilt) return { kind: 'unreadable', why: 'too-complex' }
  try {
    const seen = run()
    return engine.memoryRefused ? unreadable(engine) : { kind: 'seen', seen }
  } catch (error) {
    if (error instanceof PageFault) return { kind: 'unreadable', why: error.why }
    engine.spoilt = true
    return unreadable(engine)
  }
}

function unreadable({ memoryRefused }: Engine): Unreadable {
  return { kind: 'unreadable', why: memoryRefused ? 'too-complex' : 'damaged' }
}

function load(calls: PdfiumCalls, pdf: Uint8Array) {
  const address = calls.wasmExports.malloc(pdf.length)
  if (address === 0) return 'too-complex'
  calls.HEAPU8.set(pdf, address)
  const document = calls._FPDF_LoadMemDocument(address, pdf.length, 0)
  if (document === 0) {
    const error = calls._FPDF_GetLastError()
    calls.wasmExports.free(address)
    return error === passwordError || error === securityError ? 'encrypted' : 'damaged'
  }
  const close = () => {
    calls._FPDF_CloseDocument(document)
    calls.wasmExports.free(address)
  }
  if (calls._FPDF_GetSecurityHandlerRevision(document) !== notEncrypted) {
    close()
    return 'encrypted'
  }
  return { document, count: calls._FPDF_GetPageCount(document), close }
}

function withPage<T>(
  calls: PdfiumCalls,
  document: number,
  page: number,
  look: (page: OpenPage) => T,
): T {
  const handle = loadPage(calls, document, page)
  try {
    return look({ calls, handle })
  } finally {
    calls._FPDF_ClosePage(handle)
  }
}

function loadPage(calls: PdfiumCalls, document: number, page: number): number {
  const handle = calls._FPDF_LoadPage(document, page - 1)
  if (handle === 0) throw new PageFault('damaged', `page ${page} cannot be loaded`)
  return handle
}
