import {
  PDFArray,
  PDFDict,
  type PDFDocument,
  PDFName,
  type PDFObject,
  type PDFObjectCopier,
  PDFRef,
  PDFString,
} from 'pdf-lib'

/** Layers in the order of their document, and those of them that do not print. */
type PrintLayers = { layers: readonly PDFRef[]; off: readonly PDFRef[] }

const propertiesKey = PDFName.of('OCProperties')

export function hasLayers({ catalog }: PDFDocument): boolean {
  return catalog.lookup(propertiesKey) instanceof PDFDict
}

/**
 * Returns the layers of a document. A layer's own print state applies if the document says that layers' states are to
 * be used.
 */
export function listPrintLayers({ catalog }: PDFDocument): PrintLayers {
  const properties = catalog.lookup(propertiesKey)
  if (!(properties instanceof PDFDict)) return { layers: [], off: [] }

  const layers = itemsOf(properties, 'OCGs').filter((layer) => layer instanceof PDFRef)
  const off = new Set<unknown>(layersOff(properties, layers))
  for (const layer of layersWithPrintState(properties)) {
    const state = stateInPrint(properties.context.lookup(layer))
    if (state === 'OFF') off.add(layer)
    if (state === 'ON') off.delete(layer)
  }
  return { layers, off: layers.filter((layer) => off.has(layer)) }
}

/**
 * Copies which layers of a source do not print. That is stored in the catalogue, not in the pages, and without it
 * hidden layers would print. Several sources in one document add up.
 */
export function copyLayers(
  document: PDFDocument,
  source: PDFDocument,
  copier: PDFObjectCopier,
): void {
  const { layers, off } = listPrintLayers(source)
  if (layers.length === 0) return
  const target = targetOf(document)
  const copies = layers.map((layer) => copier.copy(layer))
  tellApart(document, copies, target.layers.size())
  for (const layer of copies) target.layers.push(layer)
  for (const layer of off) target.off.push(copier.copy(layer))
}

/**
 * Gives each layer a name that no other has, by its number from `first`. Some readers take two layers with equal
 * entries for one, and show both or neither.
 */
export function tellApart(
  { context }: PDFDocument,
  layers: readonly PDFRef[],
  first: number,
): void {
  for (const [index, layer] of layers.entries()) {
    const entries = context.lookup(layer)
    if (!(entries instanceof PDFDict)) continue
    entries.set(PDFName.of('Name'), PDFString.of(`Layer ${first + index}`))
  }
}

/** Returns the layers that are switched off when the document is opened. */
function layersOff(properties: PDFDict, layers: readonly PDFObject[]): readonly PDFObject[] {
  const normal = properties.lookup(PDFName.of('D'))
  if (!(normal instanceof PDFDict)) return []

  const isOffUnlessOn = normal.lookup(PDFName.of('BaseState')) === PDFName.of('OFF')
  if (!isOffUnlessOn) return itemsOf(normal, 'OFF')
  const on = new Set(itemsOf(normal, 'ON'))
  return layers.filter((layer) => !on.has(layer))
}

function layersWithPrintState(properties: PDFDict): PDFRef[] {
  const normal = properties.lookup(PDFName.of('D'))
  if (!(normal instanceof PDFDict)) return []
  return itemsOf(normal, 'AS')
    .map((item) => properties.context.lookup(item))
    .filter((item) => item instanceof PDFDict)
    .filter((item) => item.lookup(PDFName.of('Event')) === PDFName.of('Print'))
    .flatMap((item) => itemsOf(item, 'OCGs'))
    .filter((layer) => layer instanceof PDFRef)
}

function stateInPrint(layer: unknown): 'ON' | 'OFF' | undefined {
  let value = layer
  for (const key of ['Usage', 'Print', 'PrintState']) {
    value = value instanceof PDFDict ? value.lookup(PDFName.of(key)) : undefined
  }
  if (value === PDFName.of('OFF')) return 'OFF'
  return value === PDFName.of('ON') ? 'ON' : undefined
}

function targetOf(document: PDFDocument): { layers: PDFArray; off: PDFArray } {
  const { catalog, context } = document
  if (!catalog.has(propertiesKey)) {
    catalog.set(propertiesKey, context.obj({ OCGs: [], D: { BaseState: 'ON', OFF: [] } }))
  }
  const properties = catalog.lookup(propertiesKey, PDFDict)
  return {
    layers: properties.lookup(PDFName.of('OCGs'), PDFArray),
    off: properties.lookup(PDFName.of('D'), PDFDict).lookup(PDFName.of('OFF'), PDFArray),
  }
}

/** Layers are compared by reference. In pdf-lib, all references to one object are the same value. */
function itemsOf(dictionary: PDFDict, key: string): readonly PDFObject[] {
  const items = dictionary.lookup(PDFName.of(key))
  return items instanceof PDFArray ? items.asArray() : []
}
