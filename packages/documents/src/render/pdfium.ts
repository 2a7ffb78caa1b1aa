import { readFileSync } from 'node:fs'
import { PDFiumModule } from '@hyzyla/pdfium'

/** The part of PDFium's interface that this package calls. Handles and addresses are numbers; 0 is null. */
export type PdfiumCalls = {
  _FPDF_InitLibrary(): void
  _FPDF_LoadMemDocument(address: number, bytes: number, password: number): number
  _FPDF_GetLastError(): number
  _FPDF_GetSecurityHandlerRevision(document: number): number
  _FPDF_GetPageCount(document: number): number
  _FPDF_CloseDocument(document: number): void
  _FPDF_LoadPage(document: number, index: number): number
  _FPDF_ClosePage(page: number): void
  _FPDF_GetPageWidthF(page: number): number
  _FPDF_GetPageHeightF(page: number): number
  _FPDF_PageToDevice(
    ...placeThenPointThenAddresses: [
      page: number,
      left: number,
      top: number,
      width: number,
      height: number,
      rotation: number,
      x: number,
      y: number,
      addressOfX: number,
      addressOfY: number,
    ]
  ): number
  _FPDF_RenderPageBitmap(
    ...placeThenFlags: [
      bitmap: number,
      page: number,
      left: number,
      top: number,
      width: number,
      height: number,
      rotation: number,
      flags: number,
    ]
  ): void
  _FPDFBitmap_CreateEx(
    ...format: [width: number, height: number, format: number, address: number, stride: number]
  ): number
  _FPDFBitmap_FillRect(
    ...fill: [bitmap: number, x: number, y: number, width: number, height: number, colour: number]
  ): number
  _FPDFBitmap_GetBuffer(bitmap: number): number
  _FPDFBitmap_GetStride(bitmap: number): number
  _FPDFBitmap_Destroy(bitmap: number): void
  _FPDFPage_CountObjects(page: number): number
  _FPDFPage_GetObject(page: number, index: number): number
  _FPDFFormObj_CountObjects(form: number): number
  _FPDFFormObj_GetObject(form: number, index: number): number
  _FPDFPageObj_GetType(object: number): number
  _FPDFPageObj_SetIsActive(object: number, active: number): number
  _FPDFPageObj_HasTransparency(object: number): number
  _FPDFPageObj_GetBounds(
    ...box: [
      object: number,
      addressOfLeft: number,
      addressOfBottom: number,
      addressOfRight: number,
      addressOfTop: number,
    ]
  ): number
  _FPDFImageObj_GetImagePixelSize(
    image: number,
    addressOfWidth: number,
    addressOfHeight: number,
  ): number
  _FPDFImageObj_GetImageFilterCount(image: number): number
  _FPDFImageObj_GetImageFilter(
    ...name: [image: number, index: number, address: number, bytes: number]
  ): number
  _FPDFPageObj_GetMatrix(object: number, address: number): number
  _FPDFPageObj_GetStrokeWidth(object: number, address: number): number
  _FPDFPageObj_GetDashCount(object: number): number
  _FPDFPath_GetDrawMode(path: number, addressOfFill: number, addressOfStroke: number): number
  _FPDFPath_CountSegments(path: number): number
  _FPDFPath_GetPathSegment(path: number, index: number): number
  _FPDFPathSegment_GetType(segment: number): number
  _FPDFPathSegment_GetPoint(segment: number, addressOfX: number, addressOfY: number): number
  _FPDFPathSegment_GetClose(segment: number): number
  _FPDFTextObj_GetFont(object: number): number
  _FPDFTextObj_GetFontSize(object: number, address: number): number
  _FPDFTextObj_GetTextRenderMode(object: number): number
  _FPDFFont_GetIsEmbedded(font: number): number
  _FPDFFont_GetFontData(
    ...data: [font: number, address: number, bytes: number, addressOfLength: number]
  ): number
  _FPDFFont_GetBaseFontName(font: number, address: number, bytes: number): number
  _FPDFText_LoadPage(page: number): number
  _FPDFText_ClosePage(text: number): void
  _FPDFText_CountChars(text: number): number
  _FPDFText_GetUnicode(text: number, index: number): number
  _FPDFText_IsGenerated(text: number, index: number): number
  _FPDFText_GetCharBox(
    ...box: [
      text: number,
      index: number,
      addressOfLeft: number,
      addressOfRight: number,
      addressOfBottom: number,
      addressOfTop: number,
    ]
  ): number
  wasmExports: { malloc(bytes: number): number; free(address: number): void }
  HEAPU8: Uint8Array<ArrayBuffer>
  HEAP32: Int32Array
  HEAPF32: Float32Array
  HEAPF64: Float64Array
}

/** One instance of PDFium with its own memory. */
export type Engine = {
  calls: PdfiumCalls
  /** Whether PDFium asked for more memory than allowed. What it has drawn since then has gaps. */
  memoryRefused: boolean
  /** True after a call failed within PDFium. Its memory must not be relied on any more. */
  spoilt: boolean
}

type Imports = { env: Record<string, (...numbers: number[]) => number> }
type Program = { readonly program: unique symbol }
type Instance = { exports: unknown }

/** Provided by Node, but typed only for browsers. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => Program
  Instance: new (program: Program, imports: Imports) => Instance
}

/** Memory of one instance, which contains the file and everything made from it. */
const memoryBytesMax = 256 * 1024 * 1024
/** An instance above this size is not used for another document, because it never shrinks. */
const memoryKeptBytesMax = 96 * 1024 * 1024

let compiled: Program | undefined
let kept: Engine | undefined

/**
 * Returns an instance of PDFium: WebAssembly without access to files, network or any clock except the time of day. It
 * is compiled once per thread, and reused for the next document unless it failed or has grown too large.
 */
export async function startPdfium(): Promise<Engine> {
  if (kept && !kept.spoilt && kept.calls.HEAPU8.length <= memoryKeptBytesMax) return kept
  kept = await instantiate()
  return kept
}

async function instantiate(): Promise<Engine> {
  compiled ??= new WebAssembly.Module(
    readFileSync(new URL(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm'))),
  )
  const program = compiled
  const state = { memoryRefused: false, spoilt: false }
  const silent = () => undefined
  const options = {
    print: silent,
    printErr: silent,
    instantiateWasm(imports: Imports, done: (instance: Instance) => void) {
      const instance = new WebAssembly.Instance(program, limitMemory(imports, state))
      done(instance)
      return instance.exports
    },
  }
  // The package's types describe a different callback and fewer calls than the module has.
  const calls = (await PDFiumModule(
    options as unknown as Parameters<typeof PDFiumModule>[0],
  )) as unknown as PdfiumCalls
  calls._FPDF_InitLibrary()
  return Object.assign(state, { calls })
}

/** PDFium requests memory through this import. It returns 0 if none is left. */
function limitMemory({ env, ...others }: Imports, state: { memoryRefused: boolean }): Imports {
  const grow = env.emscripten_resize_heap!
  const growWithinLimit = (bytes: number) => {
    if (bytes >>> 0 <= memoryBytesMax) return grow(bytes)
    state.memoryRefused = true
    return 0
  }
  return { ...others, env: { ...env, emscripten_resize_heap: growWithinLimit } }
}
