import { convertStructuredToUnstructured } from 'postman-paf'
import type { StructuredAddress, structuredAddressFields } from './address.ts'
import { holdsAtMost, lineCharactersMax, tidyLine } from './printed-line.ts'

/** One printed element of a postal address file record. A numbered one has the premise's number. */
export type PafElement = {
  role:
    | 'organisation'
    | 'department'
    | 'po-box'
    | 'premise'
    | 'street'
    | 'double-dependent-locality'
    | 'dependent-locality'
  text: string
  numbered: boolean
}

type Fields = { [field in (typeof structuredAddressFields)[number]]?: string | undefined }

/** The first of these that is present has the premise's number. */
const streetRun = [
  { field: 'dependentThoroughfareName', role: 'street' },
  { field: 'thoroughfareName', role: 'street' },
  { field: 'doubleDependentLocality', role: 'double-dependent-locality' },
  { field: 'dependentLocality', role: 'dependent-locality' },
] as const

/**
 * Returns every element that Royal Mail's rules print, in their order and in capitals, however many there are, and the
 * post town. Null, blanks and the text `null` count as absent. postman-paf lays out premise and number. It keeps four
 * elements and drops the rest, so it receives only the premise and the first of the street run, which never make more
 * than three.
 */
export function makePafElements(address: StructuredAddress): {
  elements: PafElement[]
  town: string | undefined
} {
  const fields = presentFields(address)
  const head = [
    ...element('organisation', fields.organisationName),
    ...element('department', fields.departmentName),
  ]
  const poBox = element('po-box', fields.poBoxNumber && `PO BOX ${fields.poBoxNumber}`)
  const { premises, streets } = premisesAndStreets(fields)

  // postman-paf prints the PO box after a sub-building without other premises, otherwise before it
  const onlySubBuilding = fields.subBuildingName && !fields.buildingName && !fields.buildingNumber
  const elements = onlySubBuilding
    ? [...head, ...premises, ...poBox, ...streets]
    : [...head, ...poBox, ...premises, ...streets]
  return { elements, town: fields.postTown?.toUpperCase() }
}

function presentFields(address: StructuredAddress): Fields {
  return Object.fromEntries(
    Object.entries(address)
      .map(([field, text]) => [field, tidyLine(text)] as const)
      .filter(([, text]) => text && text !== 'null'),
  )
}

function premisesAndStreets(fields: Fields) {
  const [first, ...others] = streetRun.filter(({ field }) => fields[field])
  const lines = premiseAndStreet(fields, first?.field)
  if (!first) return { premises: lines.flatMap((line) => element('premise', line)), streets: [] }

  const street = lines.at(-1)
  const numbered = street !== fields[first.field]!.toUpperCase()
  return {
    premises: lines.slice(0, -1).flatMap((line) => element('premise', line)),
    streets: [
      ...element(first.role, street, { numbered }),
      ...others.flatMap(({ field, role }) => element(role, fields[field])),
    ],
  }
}

function premiseAndStreet(fields: Fields, street: (typeof streetRun)[number]['field'] | undefined) {
  const { subBuildingName, buildingName, buildingNumber } = fields
  const whole = buildingName && isUnsafeForPostmanPaf(buildingName) ? buildingName : undefined

  const { line1, line2, line3 } = convertStructuredToUnstructured({
    subBuildingName,
    buildingName: whole ? standIn : buildingName,
    buildingNumber,
    ...(street && { [street]: fields[street] }),
  })
  const lines = [line1, line2, line3].filter((line) => line !== undefined)
  return whole ? lines.map((line) => line.replace(standIn, () => whole)) : lines
}

/** A private-use character that replaces a name which stays whole on its own line. */
const standIn = '\u{E000}'

/**
 * postman-paf makes a regular expression from the last word of a building name. A word that is not a plain number,
 * range, decimal or fraction would be syntax there, and might never terminate. Such a word never moves to the street
 * line, so postman-paf receives a placeholder for the name.
 */
function isUnsafeForPostmanPaf(buildingName: string): boolean {
  const lastWord = buildingName.slice(buildingName.lastIndexOf(' ') + 1)
  return /[\\^$*+?()[\]{}|]/.test(lastWord) || !holdsAtMost(lastWord, lineCharactersMax)
}

function element(
  role: PafElement['role'],
  text: string | undefined,
  { numbered = false } = {},
): PafElement[] {
  return text ? [{ role, text: text.toUpperCase(), numbered }] : []
}
