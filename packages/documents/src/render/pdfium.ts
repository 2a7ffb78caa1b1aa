import { readFileSync } from 'node:fs'
import { PDFiumModule } from '@hyzyla/pdfium'

/** The part of PDFium's own interface that is called here. Handles and addresses are numbers, 0 is none. */
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
  _FPDFPage_GetAnnotCount(page: number): number
  _FPDFPage_Flatten(page: number, usage: number): number
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
  _FPDFTextObj_GetFont(object: number): number
  _FPDFTextObj_GetTextRenderMode(object: number): number
  _FPDFFont_GetIsEmbedded(font: number): number
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

/** One instance of PDFium with a memory of its own. */
export type Engine = {
  calls: PdfiumCalls
  /** Whether PDFium asked for more memory than it may have; what it drew since then has gaps. */
  memoryRefused: boolean
  /** Set when a call failed within PDFium: nothing in its memory is to be relied on any more. */
  spoilt: boolean
}

type Imports = { env: Record<string, (...numbers: number[]) => number> }
type Program = { readonly program: unique symbol }
type Instance = { exports: unknown }

/** Of Node, whose types leave it to those of browsers. */
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => Program
  Instance: new (program: Program, imports: Imports) => Instance
}

/** Of one instance, in which the file and everything made of it lie. */
const memoryBytesMax = 256 * 1024 * 1024
/** An instance that has grown beyond this is not used for another document, since it never shrinks. */
const memoryKeptBytesMax = 96 * 1024 * 1024

let compiled: Program | undefined
let kept: Engine | undefined

/**
 * An instance of PDFium, WebAssembly without access to files, network or clock beyond the time of day. Compiled once
 * per thread and used again for the next document unless it is spoilt or has grown.
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
  // The package types a callback of its own shape and fewer calls than the module has.
  const calls = (await PDFiumModule(
    options as unknown as Parameters<typeof PDFiumModule>[0],
  )) as unknown as PdfiumCalls
  calls._FPDF_InitLibrary()
  return Object.assign(state, { calls })
}

/** PDFium asks for memory through this import; 0 is its answer for none left. */
function limitMemory({ env, ...others }: Imports, state: { memoryRefused: boolean }): Imports {
  const grow = env.emscripten_resize_heap!
  const growWithinLimit = (bytes: number) => {
    if (bytes >>> 0 <= memoryBytesMax) return grow(bytes)
    state.memoryRefused = true
    return 0
  }
  return { ...others, env: { ...env, emscripten_resize_heap: growWithinLimit } }
}
