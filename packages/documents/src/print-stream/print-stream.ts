import { hash } from 'node:crypto'
import { writePageTree } from './page-tree-of-stream.ts'
import type { PrintStreamPart, PrintStreamPlace } from './print-stream-part.ts'

/** One PDF of many documents, written as they arrive. Only the offset of each object stays in memory. */
type PrintStream = {
  /** Returns where the next part begins. */
  place(): PrintStreamPlace
  /** Adds the next part, which must be made from `place()`. Returns the next bytes of the file. */
  add(part: PrintStreamPart): Uint8Array[]
  /** Returns the end of the file: page tree, catalogue and cross-reference table. Throws if there is no page. */
  end(): Generator<Uint8Array>
}

/** The largest offset that fits the digits of a cross-reference table. */
const fileBytesMax = 9_999_999_999
const tableLinesAtOnce = 10_000

/**
 * Creates an empty print stream. `name` distinguishes this file from others. Equal documents with an equal name produce
 * equal bytes.
 */
export function createPrintStream({ name }: { name: string }): PrintStream {
  const header = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1')
  const offsets = createOffsets()
  const pages: number[] = []
  const branches: number[] = []
  const layers: number[] = []
  const layersOff: number[] = []
  let place: PrintStreamPlace = {
    nextNumber: 1,
    branch: undefined,
    branchPages: 0,
    known: new Map(),
  }
  let written = 0

  function count(bytes: Uint8Array): Uint8Array {
    written += bytes.length
    if (written > fileBytesMax) throw new Error(`The print stream has over ${fileBytesMax} bytes`)
    return bytes
  }

  function takeNumber(): number {
    return place.nextNumber++
  }

  function object(number: number, body: string): Uint8Array {
    offsets.set(number, written)
    return count(Buffer.from(`${number} 0 obj\n${body}\nendobj\n`, 'latin1'))
  }

  function* end(): Generator<Uint8Array> {
    if (pages.length === 0) throw new Error('A print stream has a page at least')
    const tree = writePageTree({ pages, branches, takeNumber })
    for (const { number, body } of tree.branches) yield object(number, body)
    const catalogue = takeNumber()
    yield object(
      catalogue,
      `<</Type/Catalog/Pages ${tree.root} 0 R${sayLayers(layers, layersOff)}>>`,
    )
    const tableAt = written
    const size = place.nextNumber
    yield count(Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n`))
    for (let first = 1; first < size; first += tableLinesAtOnce) {
      yield count(offsets.table(first, Math.min(first + tableLinesAtOnce, size)))
    }
    const id = hash('sha256', name).slice(0, 32)
    yield count(
      Buffer.from(
        `trailer\n<</Size ${size}/Root ${catalogue} 0 R/ID[<${id}><${id}>]>>\nstartxref\n${tableAt}\n%%EOF\n`,
      ),
    )
  }

  return {
    place: () => place,
    add: (part) => {
      const chunks = written === 0 ? [count(header)] : []
      part.numbers.forEach((number, index) => {
        offsets.set(number, written + part.offsets[index]!)
      })
      for (const page of part.pages) pages.push(page)
      for (const branch of part.branches) branches.push(branch)
      for (const layer of part.layers) layers.push(layer)
      for (const layer of part.layersOff) layersOff.push(layer)
      place = part.place
      return [...chunks, count(part.bytes)]
    },
    end,
  }
}

function sayLayers(layers: readonly number[], off: readonly number[]): string {
  if (layers.length === 0) return ''
  const list = (numbers: readonly number[]) => numbers.map((number) => `${number} 0 R`).join(' ')
  return `/OCProperties<</OCGs[${list(layers)}]/D<</BaseState/ON/OFF[${list(off)}]>>>>`
}

/** The offset of each object by its number. */
function createOffsets() {
  let offsets = new Float64Array(1_024)
  return {
    set: (number: number, offset: number) => {
      if (number >= offsets.length) {
        const larger = new Float64Array(Math.max(2 * offsets.length, number + 1))
        larger.set(offsets)
        offsets = larger
      }
      offsets[number] = offset
    },
    table: (from: number, to: number): Uint8Array => {
      let lines = ''
      for (let number = from; number < to; number++) {
        const offset = offsets[number] ?? 0
        if (offset === 0) throw new Error(`Object ${number} of a print stream was not written`)
        lines += `${String(offset).padStart(10, '0')} 00000 n \n`
      }
      return Buffer.from(lines, 'latin1')
    },
  }
}
