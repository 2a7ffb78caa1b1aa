import { type RuleId, rules } from './rules.ts'

/** Millimetres from the top left corner of the page as it is read. */
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

/** What was found, with its unit: one number for a length or a count, two for a size. */
export type Measured = { unit: Unit; value: number | readonly [number, number] }

/** What a rule allows, with its unit; a limit that is not there is left out. */
export type Allowed = {
  unit: Unit
  min?: number | readonly [number, number]
  max?: number | readonly [number, number]
}

/**
 * One thing that preflight found in a letter. `detail` is a sentence for a person that names the file and the page and
 * repeats nothing of the content. A refusal rejects the letter; a note is told and nothing more.
 */
export type Finding = {
  rule: RuleId
  severity: 'refusal' | 'note'
  /** The file at fault; absent when it is the letter as a whole, or its address. */
  fileId?: string
  /** From 1, within the file, or within the letter when no file is named. */
  page?: number
  rectangle?: Rectangle
  measured?: Measured
  allowed?: Allowed
  detail: string
}

export function isRefused(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === 'refusal')
}

/** What the job's comment says: the sentence of the first finding that refuses. */
export function commentOf(findings: readonly Finding[]): string | undefined {
  return findings.find(({ severity }) => severity === 'refusal')?.detail
}

const places = new Map(Object.keys(rules).map((rule, place) => [rule, place]))

/** A timeline is for people: nobody reads more, and what is kept for ever stays small. */
const findingsToldMax = 200

/**
 * Findings as they are told: by rule, and those of one rule as they were found. Of too many, notes are left out first, and
 * the first refusal never is.
 */
export function asTold(findings: readonly Finding[]): Finding[] {
  const all = inOrderOfRules(findings)
  if (all.length <= findingsToldMax) return all
  const { refusal = [], note = [] } = Object.groupBy(all, ({ severity }) => severity)
  return inOrderOfRules([...refusal, ...note].slice(0, findingsToldMax))
}

function inOrderOfRules(findings: readonly Finding[]): Finding[] {
  const placeOf = ({ rule }: Finding) => places.get(rule) ?? places.size
  return findings.toSorted((one, other) => placeOf(one) - placeOf(other))
}
