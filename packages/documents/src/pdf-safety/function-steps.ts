import { PDFArray, PDFDict, PDFName, PDFNumber, type PDFObject, PDFRawStream } from 'pdf-lib'
import { decodeContent } from './decode-content.ts'

const keys = {
  FunctionType: PDFName.of('FunctionType'),
  Functions: PDFName.of('Functions'),
  Domain: PDFName.of('Domain'),
  Range: PDFName.of('Range'),
}
const types = { sampled: 0, stitching: 3, calculator: 4 } as const
/** Functions nested more deeply than this count as endless. */
const depthMax = 16
/** Steps of a function that is a formula. */
const formulaSteps = 8

/** How many steps it takes to calculate the colour of one point. A function is counted once. */
export type CountSteps = (value: PDFObject | undefined, depth?: number) => number

/**
 * Counts the steps of functions: the operators of a calculator function, the products of inputs and outputs of a
 * sampled one, and all steps of the functions that one stitches, because a reader keeps a copy of each. Infinite if
 * functions contain each other.
 */
export function createCountSteps(): CountSteps {
  const known = new Map<PDFObject, number>()

  function count(value: PDFObject | undefined, depth = 0): number {
    if (value instanceof PDFArray) {
      let steps = 0
      for (let index = 0; index < value.size(); index += 1)
        steps += count(value.lookup(index), depth)
      return steps
    }
    const dictionary = value instanceof PDFRawStream ? value.dict : value
    if (!value || !(dictionary instanceof PDFDict)) return 0
    const found = known.get(value)
    if (found !== undefined) return found
    if (depth > depthMax) return Number.POSITIVE_INFINITY
    // a function that contains itself finds this value while it is counted, and so is endless
    known.set(value, Number.POSITIVE_INFINITY)
    const steps = countOf(value, dictionary, depth)
    known.set(value, steps)
    return steps
  }

  function countOf(value: PDFObject, dictionary: PDFDict, depth: number): number {
    switch (numberAt(dictionary, keys.FunctionType)) {
      case types.sampled:
        return lengthAt(dictionary, keys.Domain) * lengthAt(dictionary, keys.Range)
      case types.stitching:
        return 1 + count(dictionary.lookup(keys.Functions), depth + 1)
      case types.calculator:
        return value instanceof PDFRawStream ? countWords(decodeContent(value)) : 0
      default:
        return formulaSteps
    }
  }

  return count
}

export function numberAt(dictionary: PDFDict, key: PDFName): number | undefined {
  const value = dictionary.lookup(key)
  return value instanceof PDFNumber ? value.asNumber() : undefined
}

function lengthAt(dictionary: PDFDict, key: PDFName): number {
  const value = dictionary.lookup(key)
  return value instanceof PDFArray ? value.size() / 2 : 0
}

/** Counts the words, which white space and braces separate. */
function countWords(bytes: Uint8Array): number {
  let words = 0
  let isWithin = false
  for (const byte of bytes) {
    const isWord = byte > 0x20 && byte !== 0x7b && byte !== 0x7d
    if (isWord && !isWithin) words += 1
    isWithin = isWord
  }
  return words
}
