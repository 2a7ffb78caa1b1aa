import { structuredAddressFields } from '@despatch/domain/address/address'
import { nearName } from '@despatch/domain/json/near-name'
import { Failure, wrongUsage } from '../failure.ts'
import { addressOf, type GivenAddress } from '../jobs/address-of.ts'

/** What a row says of its letter. Members without a cell are absent, and the service says which it requires. */
export type LetterRow = {
  recipientName?: string
  businessIdentifier?: string
  despatchMethod?: string
  address?: object
  handlingInstruction?: object
  customParams?: { key: string; value: string }[]
}

/** A row, or why it cannot be a letter. */
export type ReadRow = { letter: LetterRow } | { fault: string }

const ownColumns = ['recipientName', 'businessIdentifier', 'despatchMethod'] as const
const sharedColumns = ['postcode', 'country']
const lineColumns = ['line1', 'line2', 'line3', 'line4', 'line5', 'bfpoNumber']
const structuredColumns: readonly string[] = structuredAddressFields.filter(
  (name) => !sharedColumns.includes(name),
)
const handlingPrefix = 'handlingInstruction.'
const handlingColumns = [1, 2, 3, 4, 5, 6, 7].map((number) => `${handlingPrefix}line${number}`)
const paramPrefix = 'param.'

const knownColumns: readonly string[] = [
  ...ownColumns,
  ...lineColumns,
  ...sharedColumns,
  ...structuredColumns,
  ...handlingColumns,
]

/**
 * Returns the function that reads the rows below this header. A cell of blanks is absent; other cells are sent as they
 * are. Throws a Failure that names every wrong column, because a cell that has no effect would be missing in print.
 */
export function rowReader(header: readonly string[]): (cells: readonly string[]) => ReadRow {
  refuseWrongHeader(header)
  const isStructured = header.some((name) => structuredColumns.includes(name))
  return (cells) => {
    if (cells.length !== header.length) {
      return { fault: `the row has ${cells.length} cells and the header ${header.length}` }
    }
    const given = new Map(
      header
        .map((name, column) => [name, cells[column]!] as const)
        .filter(([, cell]) => cell.trim()),
    )
    try {
      return { letter: letterOf(given, isStructured) }
    } catch (error) {
      if (error instanceof Failure) return { fault: error.message }
      throw error
    }
  }
}

function letterOf(given: ReadonlyMap<string, string>, isStructured: boolean): LetterRow {
  const chosen = (names: readonly string[], prefix = '') =>
    Object.fromEntries(
      names.flatMap((name) =>
        given.has(name) ? [[name.slice(prefix.length), given.get(name)!]] : [],
      ),
    )
  const address = isStructured
    ? chosen(structuredAddressFields)
    : chosen([...lineColumns, ...sharedColumns])
  const handlingInstruction = chosen(handlingColumns, handlingPrefix)
  const customParams = [...given]
    .filter(([name]) => name.startsWith(paramPrefix))
    .map(([name, value]) => ({ key: name.slice(paramPrefix.length), value }))
  return {
    ...chosen(ownColumns),
    ...(hasMembers(address) && {
      address: isStructured ? { structuredAddress: address } : addressOfLines(address),
    }),
    ...(hasMembers(handlingInstruction) && { handlingInstruction }),
    ...(customParams.length > 0 && { customParams }),
  }
}

function addressOfLines({ bfpoNumber, ...lines }: Record<string, string>): object {
  const given = { ...lines, ...(bfpoNumber !== undefined && { bfpo: bfpoNumber }) }
  const nameOf = (name: keyof GivenAddress) => (name === 'bfpo' ? 'bfpoNumber' : name)
  return addressOf(given as GivenAddress, nameOf)
}

function hasMembers(value: object): boolean {
  return Object.keys(value).length > 0
}

function refuseWrongHeader(header: readonly string[]): void {
  const structured = header.find((name) => structuredColumns.includes(name))
  const line = header.find((name) => lineColumns.includes(name))
  const faults = [
    ...header.flatMap((name, column) => faultOf(name, column)),
    ...header
      .filter((name, column) => name !== '' && header.indexOf(name) !== column)
      .map((name) => `duplicate column ${quote(name)}`),
    ...(header.includes('recipientName') ? [] : ['missing column "recipientName"']),
    ...(line || structured ? [] : ['missing column "line1", or the columns of another address']),
    ...(line && structured
      ? [`"${line}" and "${structured}" are columns of two kinds of address`]
      : []),
  ]
  if (faults.length === 0) return
  throw wrongUsage(`the header is not valid:\n          ${faults.join('\n          ')}`)
}

function faultOf(name: string, column: number): string[] {
  if (knownColumns.includes(name)) return []
  if (['', paramPrefix].includes(name.trim())) return [`column ${column + 1} has no name`]
  if (name.startsWith(paramPrefix)) return []
  if (/[;\t]/.test(name)) return ['cells must be separated by commas']
  const meant = nearName(name, knownColumns)
  const instead = meant ?? `${paramPrefix}${name.trim().slice(0, 64)}`
  const hint = meant ? `did you mean ${instead}?` : `for a custom parameter, name it ${instead}`
  return [`unknown column ${quote(name)}: ${hint}`]
}

function quote(name: string): string {
  return JSON.stringify(name.slice(0, 64))
}
