import type { PafElement } from './paf-elements.ts'
import { cutLine, holdsAtMost, lineCharactersMax } from './printed-line.ts'

/** The fifth line is reserved for the post town. */
const linesMax = 4

type Role = PafElement['role']
type Step = { join: readonly [Role, Role]; as: Role } | { drop: Role }

/** The steps that make room, in their order. No step drops the line with number and street. */
const steps: readonly Step[] = [
  { join: ['double-dependent-locality', 'dependent-locality'], as: 'dependent-locality' },
  { join: ['organisation', 'department'], as: 'organisation' },
  { join: ['premise', 'premise'], as: 'premise' },
  { join: ['street', 'street'], as: 'street' },
  { drop: 'department' },
  { drop: 'double-dependent-locality' },
  { drop: 'organisation' },
  { drop: 'dependent-locality' },
  { drop: 'po-box' },
]

/**
 * Fits the elements into at most four lines of at most 45 characters. While there are more, neighbours of one kind are
 * joined with a comma if the joined line fits. Then elements are dropped, the organisation before anything that a
 * postman needs. The line with number and street, and premises, are never dropped. A single element that is too long is
 * cut after a word.
 */
export function fitElements(elements: readonly PafElement[]): string[] {
  let left = elements
  for (const step of steps) {
    if (left.length <= linesMax) break
    left = 'join' in step ? joinNeighbours(left, step) : dropRole(left, step.drop)
  }
  return left.map(({ text }) => cutLine(text))
}

function joinNeighbours(
  elements: readonly PafElement[],
  { join: [role, nextRole], as }: { join: readonly [Role, Role]; as: Role },
): readonly PafElement[] {
  const at = elements.findIndex(
    (element, index) => element.role === role && elements[index + 1]?.role === nextRole,
  )
  const [first, second] = elements.slice(at, at + 2)
  if (at < 0 || !first || !second) return elements

  const text = `${first.text}, ${second.text}`
  if (!holdsAtMost(text, lineCharactersMax)) return elements
  return elements.toSpliced(at, 2, { role: as, text, numbered: first.numbered || second.numbered })
}

function dropRole(elements: readonly PafElement[], role: Role): readonly PafElement[] {
  return elements.filter((element) => element.role !== role || element.numbered)
}
