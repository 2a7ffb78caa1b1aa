import { PDFDict, type PDFDocument, PDFName, PDFRef } from 'pdf-lib'
import { itemsOf, layersOff } from '../pdf-layers.ts'

/**
 * Returns the layers of a document and those of them that do not print. A layer's own print state applies if the
 * document says that layers' states are to be used.
 */
export function listPrintLayers({ catalog }: PDFDocument): { layers: PDFRef[]; off: PDFRef[] } {
  const properties = catalog.lookup(PDFName.of('OCProperties'))
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
