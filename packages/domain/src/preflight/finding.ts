import { numberOf, type RuleId, rules } from './rules.ts'

/** Millimetres from the top left corner of the page as a person reads it. */
export type Rectangle = { x: number; y: number; width: number; height: number }

export type Unit =
  | 'mm'
  | 'pages'
  | 'sheets'
  | 'bytes'
  | 'pixels'
  | 'objects'
  | 'characters'
  | 'g'
  | 's'

/** The measured value with its unit: one number for a length or a count, two for a size. */
export type Measured = { unit: Unit; value: number | readonly [number, number] }

/** The limits of a rule, with their unit. A limit that does not exist is left out. */
export type Allowed = {
  unit: Unit
  min?: number | readonly [number, number]
  max?: number | readonly [number, number]
}

/**
 * One thing that preflight found in a letter. `detail` is a sentence for a person that names the file and the page and
 * quotes nothing of the content. A refusal rejects the letter; a note is only reported.
 */
export type Finding = {
  rule: RuleId
  severity: 'refusal' | 'note'
  /** The file with the problem. Absent if the finding is about the letter as a whole, or its address. */
  fileId?: string
  /** Page number from 1, within the file, or within the letter if no file is named. */
  page?: number
  rectangle?: Rectangle
  measured?: Measured
  allowed?: Allowed
  detail: string
}

/** Returns a note about the letter as a whole. */
export function note(rule: RuleId, detail: string): Finding {
  return { rule, severity: 'note', detail }
}

export function isRefused(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === 'refusal')
}

/** Returns the comment of the print job: the sentence of the first finding that refuses. */
export function commentOf(findings: readonly Finding[]): string | undefined {
  return findings.find(({ severity }) => severity === 'refusal')?.detail
}

/** The limit of a comment made of notes, because consumers store it in a column of limited length. */
export const notesCharactersMax = 500

/**
 * Returns the comment of an accepted print job: the notes about the letter and its address, each with the number of its
 * rule, in the order of the rules. Notes of files are left out: a PDF can have hundreds. Notes beyond 500 characters are
 * left out whole, and counted. Undefined if there are none.
 */
export function commentOfNotes(findings: readonly Finding[]): string | undefined {
  const notes = inOrderOfRules(findings)
    .filter(({ severity, fileId }) => severity === 'note' && fileId === undefined)
    .map(({ rule, detail }) => `${numberOf(rule)}: ${detail}`)
  if (notes.length === 0) return undefined
  const without = (left: number) =>
    [...notes.slice(0, notes.length - left), ...(left > 0 ? [`And ${left} more.`] : [])].join(' ')
  const fits = (left: number) => without(left).length <= notesCharactersMax
  return without([...notes.keys()].find(fits) ?? notes.length)
}

const places = new Map(Object.keys(rules).map((rule, place) => [rule, place]))

/** The limit of findings in a timeline, because people read no more. It also keeps the permanent data small. */
const findingsReportedMax = 200

/**
 * Returns findings as they are shown: sorted by rule, and within a rule in the order in which they were found. If there
 * are too many, notes of files are left out first, then other notes, and never the first refusal.
 */
export function findingsToReport(findings: readonly Finding[]): Finding[] {
  return inOrderOfRules(findings)
    .map((finding, place) => ({ finding, place }))
    .toSorted((one, other) => rankOf(one.finding) - rankOf(other.finding))
    .slice(0, findingsReportedMax)
    .toSorted((one, other) => one.place - other.place)
    .map(({ finding }) => finding)
}

function rankOf({ severity, fileId }: Finding): number {
  if (severity === 'refusal') return 0
  return fileId === undefined ? 1 : 2
}

function inOrderOfRules(findings: readonly Finding[]): Finding[] {
  const placeOf = ({ rule }: Finding) => places.get(rule) ?? places.size
  return findings.toSorted((one, other) => placeOf(one) - placeOf(other))
}
