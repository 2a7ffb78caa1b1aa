import {
  PDFArray,
  PDFDict,
  type PDFDocument,
  PDFName,
  type PDFObject,
  type PDFObjectCopier,
} from 'pdf-lib'

/**
 * Copies which layers of a source are switched off. That is stored in the catalogue, not in the pages, and without it
 * hidden layers would print. Several sources in one document add up.
 */
export function copyLayers(
  document: PDFDocument,
  source: PDFDocument,
  copier: PDFObjectCopier,
): void {
  const properties = source.catalog.lookup(PDFName.of('OCProperties'))
  if (!(properties instanceof PDFDict)) return

  const layers = itemsOf(properties, 'OCGs')
  const off = layersOff(properties, layers)
  const target = targetOf(document)
  for (const layer of layers) target.layers.push(copier.copy(layer))
  for (const layer of off) target.off.push(copier.copy(layer))
}

/** Returns the layers that are switched off when the document is opened. */
export function layersOff(properties: PDFDict, layers: readonly PDFObject[]): readonly PDFObject[] {
  const normal = properties.lookup(PDFName.of('D'))
  if (!(normal instanceof PDFDict)) return []

  const isOffUnlessOn = normal.lookup(PDFName.of('BaseState')) === PDFName.of('OFF')
  const on = itemsOf(normal, 'ON')
  return isOffUnlessOn ? layers.filter((layer) => !on.includes(layer)) : itemsOf(normal, 'OFF')
}

function targetOf(document: PDFDocument): { layers: PDFArray; off: PDFArray } {
  const { catalog, context } = document
  if (!catalog.has(PDFName.of('OCProperties'))) {
    catalog.set(
      PDFName.of('OCProperties'),
      context.obj({ OCGs: [], D: { BaseState: 'ON', OFF: [] } }),
    )
  }
  const properties = catalog.lookup(PDFName.of('OCProperties'), PDFDict)
  return {
    layers: properties.lookup(PDFName.of('OCGs'), PDFArray),
    off: properties.lookup(PDFName.of('D'), PDFDict).lookup(PDFName.of('OFF'), PDFArray),
  }
}

/** Layers are compared by reference. In pdf-lib, all references to one object are the same value. */
export function itemsOf(dictionary: PDFDict, key: string): readonly PDFObject[] {
  const items = dictionary.lookup(PDFName.of(key))
  return items instanceof PDFArray ? items.asArray() : []
}
