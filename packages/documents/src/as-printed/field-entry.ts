import { PDFDict, PDFName, type PDFObject } from 'pdf-lib'

/** Fields within each other. More are an error of the file, as is a ring of them. */
const levelsMax = 32
const parent = PDFName.of('Parent')

/** Returns an entry of a form field, or that of the nearest field above it that has one. */
export function fieldEntry(field: PDFDict, key: string): PDFObject | undefined {
  const name = PDFName.of(key)
  let node: PDFObject | undefined = field
  for (let level = 0; node instanceof PDFDict && level < levelsMax; level += 1) {
    const value: PDFObject | undefined = node.lookup(name)
    if (value) return value
    node = node.lookup(parent)
  }
  return undefined
}
